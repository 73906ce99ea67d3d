// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"

namespace manactl::diag {

namespace {

using Pool = host::HugepagePool;

constexpr std::uint64_t kDefaultPageKib = 2048;
// Suggested reservation if no benchmark is planned; rounded up to whole pages.
constexpr std::uint64_t kDefaultBytes = 512ULL << 20;

std::uint64_t pages_for(std::uint64_t bytes, std::uint64_t page_kib) {
  const std::uint64_t page = page_kib << 10;
  return page == 0 ? 0 : bytes / page + (bytes % page != 0 ? 1 : 0);
}

std::uint64_t page_kib_of(const host::Facts& facts) {
  return facts.memory.default_page_kib != 0 ? facts.memory.default_page_kib : kDefaultPageKib;
}

std::string node_name(int node) {
  return node < 0 ? std::string("any node") : fmt::format("node {}", node);
}

// `pages` is the new total, which includes the pages that are reserved now.
std::string reserve_command(int node, std::uint64_t page_kib, std::uint64_t pages) {
  return fmt::format(
      "echo {} | tee /sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages",
      pages,
      node,
      page_kib);
}

std::string pool_text(const Pool& pool) {
  return fmt::format(
      "node {}: {} of {} pages of {} kB free", pool.node, pool.free, pool.total, pool.page_kib);
}

std::vector<std::string> pools_text(const std::vector<Pool>& pools) {
  std::vector<std::string> lines;
  for (const Pool& pool : pools) {
    if (pool.total != 0) lines.push_back(pool_text(pool));
  }
  return lines;
}

// Returns "1024 of 1024 pages of 2048 kB free" for one pool, "2.0 GiB on node 0, ..." for several.
std::string free_text(const std::vector<Pool>& pools, const std::vector<std::string>& lines) {
  if (lines.size() == 1) return lines.front();
  std::map<int, std::uint64_t> bytes;
  for (const Pool& pool : pools) {
    if (pool.total != 0) bytes[pool.node] += (pool.free * pool.page_kib) << 10;
  }
  std::vector<std::string> nodes;
  for (const auto& [node, free] : bytes) {
    nodes.push_back(fmt::format("{} on {}", human_bytes(free), node_name(node)));
  }
  return brief(nodes, ", ");
}

// The pool of the kernel's default page size on `node`, or an empty pool.
Pool default_pool(const host::Facts& facts, int node) {
  const std::uint64_t page_kib = page_kib_of(facts);
  for (const Pool& pool : *facts.memory.pools) {
    if (pool.page_kib == page_kib && (node < 0 || pool.node == node)) return pool;
  }
  return Pool{std::max(node, 0), page_kib, 0, 0};
}

Remedy reserve_more(const host::Facts& facts, const CheckOptions& options, int node) {
  const Pool pool = default_pool(facts, node);
  const std::uint64_t bytes = options.bench_bytes != 0 ? options.bench_bytes : kDefaultBytes;
  const std::uint64_t needed = pages_for(bytes, pool.page_kib);
  const std::uint64_t more = needed - std::min(needed, pool.free);
  const std::string count = reserve_command(pool.node, pool.page_kib, pool.total + more);
  return {fmt::format(
              "DPDK keeps packets and queues in hugepages; if memory is fragmented, the kernel may "
              "reserve fewer than requested, so the last command prints the number; the "
              "reservation lasts until reboot (vm.nr_hugepages in /etc/sysctl.d makes it "
              "permanent, but spreads it over all nodes)"),
          {count,
           fmt::format("cat /sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages",
                       pool.node,
                       pool.page_kib)}};
}

// ---- on all nodes -------------------------------------------------------------------------------

Finding hugepages(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.memory.pools) return unknown(facts.memory.pools.error().message);
  const auto& pools = *facts.memory.pools;
  const auto lines = pools_text(pools);
  const auto nodes = nodes_of(facts, options);
  const int node = nodes.empty() ? -1 : *nodes.begin();
  if (lines.empty()) {
    return fail("no hugepages are reserved on any node", reserve_more(facts, options, node));
  }
  const bool any_free =
      std::any_of(pools.begin(), pools.end(), [](const Pool& pool) { return pool.free != 0; });
  if (!any_free) {
    return fail(fmt::format("all hugepages are in use ({})", brief(lines)),
                reserve_more(facts, options, node),
                lines);
  }
  return pass(free_text(pools, lines), lines);
}

// ---- on the NIC's node --------------------------------------------------------------------------

bool is_on(const Pool& pool, int node) {
  return node < 0 || pool.node == node;
}

// The pool with the most free memory; null if none is free.
const Pool* best_pool(const std::vector<Pool>& pools, int node) {
  const Pool* best = nullptr;
  for (const Pool& pool : pools) {
    if (!is_on(pool, node) || pool.free == 0) continue;
    if (best == nullptr || pool.free * pool.page_kib > best->free * best->page_kib) best = &pool;
  }
  return best;
}

void judge_node(const host::Facts& facts,
                const CheckOptions& options,
                int node,
                FindingBuilder& findings) {
  const auto& pools = *facts.memory.pools;
  const Pool* best = best_pool(pools, node);
  const Pool pool = best != nullptr ? *best : default_pool(facts, node);
  const std::uint64_t needed =
      std::max<std::uint64_t>(1, pages_for(options.bench_bytes, pool.page_kib));
  const std::string where = node_name(node);
  if (pool.free >= needed && options.bench_bytes == 0) {
    findings.ok(
        fmt::format("{} has {} of {} kB", where, counted(pool.free, "free page"), pool.page_kib));
    return;
  }
  const std::string need = options.bench_bytes == 0
                               ? fmt::format("need 1 page of {} kB", pool.page_kib)
                               : fmt::format("need {} = {} of {} kB",
                                             human_bytes(options.bench_bytes),
                                             counted(needed, "page"),
                                             pool.page_kib);
  const std::string line = fmt::format("{} on {}, have {}", need, where, pool.free);
  if (pool.free >= needed) {
    findings.ok(line, fmt::format("{} needed on {}, {} free", needed, where, pool.free));
  } else {
    findings.fail(line, reserve_more(facts, options, node).commands);
  }
}

Finding node(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.memory.pools) return unknown(facts.memory.pools.error().message);
  const auto& pools = *facts.memory.pools;
  if (std::none_of(pools.begin(), pools.end(), [](const Pool& pool) { return pool.total != 0; })) {
    return skipped("no hugepages are reserved: see memory.hugepages");
  }
  FindingBuilder findings;
  for (const int node_id : nodes_of(facts, options)) judge_node(facts, options, node_id, findings);
  Finding finding = findings.build(
      "no MANA function",
      "memory on another node is slower to access, and DPDK allocates queues on the "
      "NIC's node; the number in the command includes the pages that are already reserved");
  for (std::string& line : pools_text(pools)) finding.evidence.push_back(std::move(line));
  return finding;
}

// ---- mounts -------------------------------------------------------------------------------------

Finding mounts(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.memory.mounts) return unknown(facts.memory.mounts.error().message);
  std::vector<std::string> lines;
  for (const host::HugepageMount& mount : *facts.memory.mounts) {
    const std::string size =
        mount.page_kib == 0 ? std::string("default size") : fmt::format("{} kB", mount.page_kib);
    lines.push_back(fmt::format("{} ({})", mount.path, size));
  }
  if (lines.empty()) {
    return pass("only with --in-memory: hugetlbfs is not mounted",
                {"manactl needs no mount; without a mount, other DPDK programs need --in-memory"});
  }
  return pass(brief(lines), lines);
}

constexpr std::array<std::string_view, 1> kNodeCauses = {"memory.hugepages"};

constexpr std::array kChecks = {
    Check{"memory.hugepages",
          "hugepages are reserved and free",
          "No hugepages are free",
          Requirement::mana,
          hugepages},
    Check{"memory.node",
          "the NIC's node has enough hugepages",
          "The NIC's node has too few free hugepages",
          Requirement::mana,
          node,
          kNodeCauses},
    Check{"memory.mounts",
          "programs can map hugepages",
          "Programs cannot map hugepages",
          Requirement::none,
          mounts},
};

}  // namespace

std::span<const Check> memory_checks() {
  return kChecks;
}

}  // namespace manactl::diag
