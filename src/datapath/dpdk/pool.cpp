// SPDX-License-Identifier: MIT
#include "datapath/dpdk/pool.h"

#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstring>

namespace manactl::datapath::dpdk {

namespace {

// plan/plan.cpp, which does not include DPDK's headers, estimates memory with these values.
static_assert(RTE_PKTMBUF_HEADROOM <= 128);
static_assert(sizeof(rte_mbuf) == 128);
static_assert(RTE_MEMPOOL_CACHE_MAX_SIZE >= 512);

struct PoolShape {
  unsigned mbufs;
  unsigned cache;       // packets per core
  unsigned mbuf_bytes;  // of the data, with headroom
};

Result<Pool> make(const BenchPlan& plan, const std::string& name, PoolShape shape, int node) {
  Pool pool(rte_pktmbuf_pool_create(name.c_str(),
                                    shape.mbufs,
                                    shape.cache,
                                    0,
                                    static_cast<std::uint16_t>(shape.mbuf_bytes),
                                    node));
  if (pool) return pool;
  if (rte_errno != ENOMEM) return fail_errno(rte_errno, "cannot create a packet pool");
  return fail(Errc::unsupported, plan.hugepages ? "too few free hugepages" : "too little memory");
}

}  // namespace

void FreePool::operator()(rte_mempool* pool) const {
  rte_mempool_free(pool);
}

Result<Pool> make_queue_pool(const BenchPlan& plan, unsigned port, unsigned queue, int node) {
  const auto size = pool_size(plan);
  const auto name = fmt::format("manactl_{}_{}", port, queue);
  return make(plan, name, {size.mbufs, size.cache, size.mbuf_bytes}, node);
}

Result<Pool> make_ring_pool(const BenchPlan& plan, unsigned port, int node) {
  const auto size = pool_size(plan);
  const auto name = fmt::format("manactl_{}_rings", port);
  return make(plan, name, {size.ring_mbufs, size.ring_cache, size.ring_mbuf_bytes}, node);
}

void prebuild_packets(rte_mempool& pool, std::span<const std::uint8_t> frame) {
  rte_mempool_obj_iter(
      &pool,
      [](rte_mempool*, void* opaque, void* object, unsigned) {
        const auto& bytes = *static_cast<const std::span<const std::uint8_t>*>(opaque);
        auto* packet = static_cast<rte_mbuf*>(object);
        packet->data_len = static_cast<std::uint16_t>(bytes.size());
        packet->pkt_len = static_cast<std::uint32_t>(bytes.size());
        std::memcpy(rte_pktmbuf_mtod(packet, void*), bytes.data(), bytes.size());
      },
      &frame);
}

}  // namespace manactl::datapath::dpdk
