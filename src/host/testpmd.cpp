// SPDX-License-Identifier: MIT

#include "host/testpmd.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace manactl::host {
namespace {

// Returns the memory of testpmd's mbuf pool. Without --total-num-mbufs, its size depends on the
// number of forwarding lcores and on constants, not on the ports and queues in use (init_config()
// in DPDK's app/test-pmd/testpmd.c).
std::uint64_t mbuf_pool_bytes(std::uint64_t forwarding_lcores) {
  constexpr std::uint64_t kMaxDescriptors = 2048 + 2048;  // RX_DESC_MAX and TX_DESC_MAX
  constexpr std::uint64_t kMaxBurst = 512;                // MAX_PKT_BURST
  constexpr std::uint64_t kCache = 250;                   // DEF_MBUF_CACHE, per lcore
  constexpr std::uint64_t kMaxPorts = 32;                 // RTE_MAX_ETHPORTS
  // The header of a mempool object, rte_mbuf, headroom and the default data room.
  constexpr std::uint64_t kMbuf = 64 + 128 + 128 + 2048;
  return (kMaxDescriptors + kMaxBurst + forwarding_lcores * kCache) * kMaxPorts * kMbuf;
}

// Returns the CPUs of this process on `node`; all of them if fewer than `needed` are there.
std::vector<unsigned> cpus_near(const Facts& facts, int node, std::size_t needed) {
  if (!facts.cpus) return {};
  const auto near = facts.memory.node_cpus.find(node);
  if (near == facts.memory.node_cpus.end()) return facts.cpus->cpus;
  std::vector<unsigned> kept;
  std::ranges::set_intersection(facts.cpus->cpus, near->second.cpus, std::back_inserter(kept));
  return kept.size() >= needed ? kept : facts.cpus->cpus;
}

// Returns the command that sets the number of reserved pages of the pool to `pages`.
std::string resize_command(const HugepagePool& pool, std::uint64_t pages) {
  return fmt::format(
      "echo {} | tee /sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages",
      pages,
      pool.node,
      pool.page_kib);
}

}  // namespace

ProgramSize size_of_program(const Facts& facts,
                            int node,
                            unsigned other_queues,
                            std::optional<unsigned> threads) {
  ProgramSize size;
  const unsigned wanted = threads.value_or(1);
  size.queues = wanted + other_queues;
  const auto cpus = cpus_near(facts, node, wanted + 1);
  const auto fits = [&](unsigned queues) {
    return queues <= kMaxQueues && 1 + queues - other_queues <= cpus.size();
  };
  while (!threads && fits(size.queues * 2)) size.queues *= 2;
  size.threads = size.queues - other_queues;
  const auto lcores = std::min<std::size_t>(cpus.size(), size.threads + 1);
  size.cpus.assign(cpus.begin(), cpus.begin() + static_cast<std::ptrdiff_t>(lcores));
  return size;
}

std::uint64_t testpmd_bytes(unsigned forwarding_lcores) {
  // Rings and caches of the mempool, queues and buffers of the drivers, and EAL's own data.
  constexpr std::uint64_t kOther = 64U << 20U;
  return mbuf_pool_bytes(forwarding_lcores) + kOther;
}

ProgramSize size_of_testpmd(const Facts& facts, int node) {
  auto size = size_of_program(facts, node);
  size.hugepage_bytes = testpmd_bytes(size.threads);
  return size;
}

HugepagePool freest_pool(const Memory& memory, int node, std::optional<std::uint64_t> page_kib) {
  const auto size = page_kib.value_or(default_page_kib(memory));
  HugepagePool best{std::max(node, 0), size, 0, 0};
  for (const auto& pool : memory.pools.value_or(std::vector<HugepagePool>{})) {
    const bool is_on_node = node < 0 || pool.node == node;
    if (!is_on_node || (page_kib && pool.page_kib != size)) continue;
    const bool is_fallback = best.total == 0 && pool.page_kib == size;
    if (is_fallback || pool.free * pool.page_kib > best.free * best.page_kib) best = pool;
  }
  return best;
}

std::uint64_t missing_pages(const HugepagePool& pool, std::uint64_t bytes) {
  const auto needed = pages_for(bytes, pool.page_kib);
  return needed - std::min(needed, pool.free);
}

std::uint64_t missing_pages(const Memory& memory,
                            int node,
                            std::uint64_t bytes,
                            std::uint64_t page_kib) {
  if (missing_pages(freest_pool(memory, node), bytes) == 0) return 0;
  return missing_pages(freest_pool(memory, node, page_kib), bytes);
}

bool has_reserved_pages(const Memory& memory) {
  return memory.pools &&
         std::ranges::any_of(
             *memory.pools, [](std::uint64_t pages) { return pages != 0; }, &HugepagePool::total);
}

bool has_free_pages(const Memory& memory) {
  return memory.pools &&
         std::ranges::any_of(
             *memory.pools, [](std::uint64_t pages) { return pages != 0; }, &HugepagePool::free);
}

std::vector<HugepagePool> pools_elsewhere(const Memory& memory, const std::set<int>& nodes) {
  if (nodes.empty() || nodes.contains(-1)) return {};
  auto pools = memory.pools.value_or(std::vector<HugepagePool>{});
  std::erase_if(pools, [&nodes](const HugepagePool& pool) {
    return pool.free == 0 || nodes.contains(pool.node);
  });
  return pools;
}

std::string reserve_command(const Memory& memory, int node, std::uint64_t bytes) {
  const auto pool = freest_pool(memory, node, default_page_kib(memory));
  return resize_command(pool, pool.total + missing_pages(pool, bytes));
}

std::string unused_text(const HugepagePool& pool) {
  return fmt::format("node {} has {} of {} that no NIC uses",
                     pool.node,
                     counted(pool.free, "free page"),
                     human_bytes(pool.page_kib << 10U));
}

std::string release_command(const HugepagePool& pool) {
  return resize_command(pool, pool.total - pool.free);
}

std::uint64_t default_page_kib(const Memory& memory) {
  constexpr std::uint64_t kUsual = 2048;
  return memory.default_page_kib != 0 ? memory.default_page_kib : kUsual;
}

std::uint64_t pages_for(std::uint64_t bytes, std::uint64_t page_kib) {
  const std::uint64_t page = page_kib << 10U;
  return page == 0 ? 0 : bytes / page + (bytes % page != 0 ? 1 : 0);
}

}  // namespace manactl::host
