// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"

#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_pause.h>

#include <cstddef>

namespace manactl::datapath::dpdk {

namespace {

// The packets of the pool are finished: they are taken, sent and given back untouched.
unsigned send(Lane& lane) noexcept {
  auto** packets = lane.packets.data();
  const unsigned wanted = lane.burst;
  if (rte_mempool_get_bulk(lane.pool, reinterpret_cast<void**>(packets), wanted) != 0) {
    lane.counters.dry.add(1);
    return rte_eth_tx_burst(lane.port, lane.queue, packets, 0);  // lets the driver free some
  }
  const unsigned sent =
      rte_eth_tx_burst(lane.port, lane.queue, packets, static_cast<std::uint16_t>(wanted));
  if (sent < wanted) {
    const auto left = wanted - sent;
    rte_mempool_put_bulk(lane.pool, reinterpret_cast<void**>(packets + sent), left);
    lane.counters.tx_missed.add(left);
  }
  lane.counters.tx_packets.add(sent);
  lane.counters.tx_bytes.add(std::uint64_t{sent} * lane.frame_bytes);
  return sent;
}

// Sixteen bytes of a packet's header at once; both compilers make vector instructions of it.
using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;

constexpr bool kKnownLayout =
    offsetof(rte_mbuf, refcnt) == 18 && offsetof(rte_mbuf, nb_segs) == 20 &&
    offsetof(rte_mbuf, ol_flags) == 24 && offsetof(rte_mbuf, pkt_len) == 36 &&
    offsetof(rte_mbuf, pool) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

struct Seen {
  std::uint64_t bytes = 0;
  bool whole = true;  // every packet may go back to the pool as it is
};

// Direct, not shared, one segment, and of this pool: what rte_mempool_put_bulk() asks for.
Seen look_plainly(rte_mbuf* const* packets, unsigned count, const rte_mempool* pool) noexcept {
  Seen seen;
  for (unsigned i = 0; i < count; ++i) {
    const auto* packet = packets[i];
    seen.bytes += packet->pkt_len;
    seen.whole = seen.whole && packet->refcnt == 1 && packet->nb_segs == 1 &&
                 packet->pool == pool &&
                 (packet->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) == 0;
  }
  return seen;
}

// The same in half the instructions. A live packet has at least one reference and one segment, so
// an OR over the burst that gives one means one in each; equal pools survive both an AND and an OR.
struct Overlay {
  using Halves [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;

  Words flags_or = {0, 0};
  Words pool_and = {~0ULL, ~0ULL}, pool_or = {0, 0};
  Halves lengths = {0, 0, 0, 0};

  void add(const rte_mbuf* packet) noexcept {
    const auto* words = reinterpret_cast<const Words*>(packet);
    flags_or |= words[1];
    lengths += reinterpret_cast<const Halves*>(packet)[2];
    pool_and &= words[3];
    pool_or |= words[3];
  }
};

Seen look_quickly(rte_mbuf* const* packets, unsigned count, const rte_mempool* pool) noexcept {
  Overlay all;
  unsigned i = 0;
  for (; i + 4 <= count; i += 4) {
    all.add(packets[i]);
    all.add(packets[i + 1]);
    all.add(packets[i + 2]);
    all.add(packets[i + 3]);
  }
  for (; i < count; ++i) all.add(packets[i]);
  constexpr std::uint64_t kCounts = 0xffff'ffff'0000;  // refcnt and nb_segs
  constexpr std::uint64_t kOnes = 0x0001'0001'0000;
  constexpr std::uint64_t kElsewhere = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
  const auto address = reinterpret_cast<std::uintptr_t>(pool);
  return {all.lengths[1],
          (all.flags_or[0] & kCounts) == kOnes && (all.flags_or[1] & kElsewhere) == 0 &&
              all.pool_and[1] == address && all.pool_or[1] == address};
}

unsigned receive(Lane& lane) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  if (count == 0) return 0;
  const auto seen = kKnownLayout ? look_quickly(packets, count, lane.pool)
                                 : look_plainly(packets, count, lane.pool);
  if (seen.whole) [[likely]] {
    rte_mempool_put_bulk(lane.pool, reinterpret_cast<void**>(packets), count);
  } else {
    rte_pktmbuf_free_bulk(packets, count);
  }
  lane.counters.rx_packets.add(count);
  lane.counters.rx_bytes.add(seen.bytes);
  return count;
}

template <unsigned (*Burst)(Lane&) noexcept>
int work(void* argument) noexcept {
  auto& worker = *static_cast<Worker*>(argument);
  const auto& phase = *worker.phase;
  while (phase.load(std::memory_order_acquire) == Phase::waiting) rte_pause();
  auto before = rte_rdtsc();
  while (phase.load(std::memory_order_relaxed) == Phase::running) {
    for (auto* lane : worker.lanes) {
      const auto moved = Burst(*lane);
      const auto now = rte_rdtsc();
      lane->counters.polls.add(1);
      if (moved == 0) {
        lane->counters.empty_polls.add(1);
      } else {
        if (moved == lane->burst) lane->counters.full_bursts.add(1);
        lane->counters.cycles.add(now - before);
      }
      before = now;
    }
  }
  worker.done.store(true, std::memory_order_release);
  return 0;
}

}  // namespace

Work work_of(Mode mode) {
  return mode == Mode::tx ? &work<send> : &work<receive>;
}

}  // namespace manactl::datapath::dpdk
