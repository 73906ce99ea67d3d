// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "diag/check.h"
#include "diag/fact_lookups.h"
#include "diag/finding.h"
#include "host/numa.h"
#include "host/testpmd.h"

namespace manactl::diag {

namespace {

using Pool = host::HugepagePool;

// The memory that the remedies reserve: for the benchmark, and for the program of the user.
std::uint64_t needed_bytes(const CheckOptions& options) {
  return std::max({options.bench_bytes, options.testpmd_bytes, std::uint64_t{1}});
}

// Returns " for dpdk-testpmd (469.3 MiB)"; empty if no program is known.
std::string beneficiary(const CheckOptions& options) {
  const auto bytes = needed_bytes(options);
  if (bytes <= 1) return {};
  return fmt::format(" for {} ({})",
                     bytes == options.testpmd_bytes ? "dpdk-testpmd" : "manactl bench",
                     human_bytes(bytes));
}

std::string node_name(int node) {
  return node < 0 ? std::string("any node") : fmt::format("node {}", node);
}

// "2 MiB"
std::string size_text(std::uint64_t page_kib) {
  return human_bytes(page_kib << 10U);
}

std::string pool_text(const Pool& pool) {
  return fmt::format("{}: {} of {} pages of {} free",
                     node_name(pool.node),
                     pool.free,
                     pool.total,
                     size_text(pool.page_kib));
}

std::vector<std::string> pools_text(const std::vector<Pool>& pools) {
  std::vector<std::string> lines;
  for (const Pool& pool : pools) {
    if (pool.total != 0) lines.push_back(pool_text(pool));
  }
  return lines;
}

// Returns "1024 of 1024 pages of 2 MiB free" for one pool, "2.0 GiB on node 0, ..." for several.
std::string free_text(const std::vector<Pool>& pools, const std::vector<std::string>& lines) {
  if (lines.size() == 1) return lines.front();
  std::map<int, std::uint64_t> bytes;
  for (const Pool& pool : pools) {
    if (pool.total != 0) bytes[pool.node] += (pool.free * pool.page_kib) << 10;
  }
  std::vector<std::string> nodes;
  nodes.reserve(bytes.size());
  for (const auto& [node, free] : bytes) {
    nodes.push_back(fmt::format("{} on {}", human_bytes(free), node_name(node)));
  }
  return brief(nodes, ", ");
}

Remedy reserve_more(const host::Facts& facts, const CheckOptions& options, int node) {
  const Pool pool = host::freest_pool(facts.memory, node, host::default_page_kib(facts.memory));
  std::vector<std::string> commands = {
      host::reserve_command(facts.memory, node, needed_bytes(options)),
      fmt::format("cat /sys/devices/system/node/node{}/hugepages/hugepages-{}kB/nr_hugepages",
                  pool.node,
                  pool.page_kib)};
  return {
      fmt::format("reserve hugepages{}, in which DPDK keeps packets and queues; if memory is "
                  "fragmented, the kernel may reserve fewer than requested, so the last command "
                  "prints the number; the reservation lasts until reboot (vm.nr_hugepages in "
                  "/etc/sysctl.d makes it permanent, but spreads it over all nodes)",
                  beneficiary(options)),
      std::move(commands)};
}

// Names the pages that no NIC uses. The remedy does not release them, because other programs may
// need them.
void mention_unused_pages(const host::Facts& facts, Finding& finding) {
  if (!finding.remedy) return;
  std::vector<std::string> texts;
  for (const Pool& pool : host::pools_elsewhere(facts.memory, host::mana_nodes(facts))) {
    texts.push_back(host::unused_text(pool));
  }
  if (texts.empty()) return;
  finding.remedy->why +=
      fmt::format("; {} ('manactl status' prints how to release them)", join(texts, ", "));
}

// ---- on all nodes -------------------------------------------------------------------------------

Finding hugepages(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.memory.pools) return unknown(facts.memory.pools.error().message);
  const auto& pools = *facts.memory.pools;
  const auto lines = pools_text(pools);
  const auto nodes = nodes_of(facts, options);
  const int node = nodes.empty() ? -1 : *nodes.begin();
  if (lines.empty()) {
    auto finding =
        fail("no hugepages are reserved on any node", reserve_more(facts, options, node));
    finding.reason = "no hugepages are reserved";
    return finding;
  }
  // Before the move, a DPDK program may use them.
  if (!host::has_free_pages(facts.memory) && facts.has_mana()) {
    return fail(fmt::format("all hugepages are in use ({})", brief(lines)),
                reserve_more(facts, options, node),
                lines);
  }
  return pass(free_text(pools, lines), lines);
}

// ---- on the NIC's node --------------------------------------------------------------------------

// "dpdk-testpmd needs 400 MiB = 200 pages of 2 MiB"
std::string need_text(std::string_view program, std::uint64_t bytes, std::uint64_t page_kib) {
  return fmt::format("{} needs {} = {} of {}",
                     program,
                     human_bytes(bytes),
                     counted(host::pages_for(bytes, page_kib), "page"),
                     size_text(page_kib));
}

void judge_node(const host::Facts& facts,
                const CheckOptions& options,
                int node,
                FindingBuilder& findings) {
  const Pool pool = host::freest_pool(facts.memory, node);
  const std::string where = node_name(node);
  if (host::missing_pages(pool, std::max<std::uint64_t>(options.bench_bytes, 1)) == 0) {
    findings.ok(fmt::format(
        "{} of {} on {}", counted(pool.free, "free page"), size_text(pool.page_kib), where));
    return;
  }
  const auto need = options.bench_bytes == 0
                        ? fmt::format("a program needs 1 page of {}", size_text(pool.page_kib))
                        : need_text("manactl bench", options.bench_bytes, pool.page_kib);
  std::string elsewhere;
  for (const Pool& other : host::pools_elsewhere(facts.memory, host::mana_nodes(facts))) {
    elsewhere += fmt::format(", {} free on {}", other.free, node_name(other.node));
  }
  findings.fail(fmt::format("{} on {}, {} free{}", need, where, pool.free, elsewhere),
                reserve_more(facts, options, node).commands);
}

Finding node(const host::Facts& facts, const CheckOptions& options) {
  if (!facts.memory.pools) return unknown(facts.memory.pools.error().message);
  if (!host::has_reserved_pages(facts.memory)) {
    return skipped("no hugepages are reserved: see memory.hugepages");
  }
  FindingBuilder findings;
  for (const int node_id : nodes_of(facts, options)) judge_node(facts, options, node_id, findings);
  Finding finding = findings.build(
      "no MANA function",
      fmt::format("reserve pages{} on the NIC's node, where DPDK allocates queues: memory on "
                  "another node is slower to access; the numbers in the commands include the pages "
                  "that stay reserved",
                  beneficiary(options)));
  mention_unused_pages(facts, finding);
  for (std::string& line : pools_text(*facts.memory.pools))
    finding.evidence.push_back(std::move(line));
  return finding;
}

// ---- for testpmd --------------------------------------------------------------------------------

// Compares with the reserved pages, because a program may use some of them now.
Finding testpmd(const host::Facts& facts, const CheckOptions& options) {
  if (options.testpmd_bytes == 0) return skipped("the memory that dpdk-testpmd needs is unknown");
  if (!facts.memory.pools) return unknown(facts.memory.pools.error().message);
  if (!host::has_reserved_pages(facts.memory)) {
    return skipped("no hugepages are reserved: see memory.hugepages");
  }
  FindingBuilder findings;
  for (const int node_id : nodes_of(facts, options)) {
    const Pool pool = host::freest_pool(facts.memory, node_id);
    const std::string line =
        fmt::format("{} on {}; {} reserved, {} free",
                    need_text("dpdk-testpmd", options.testpmd_bytes, pool.page_kib),
                    node_name(node_id),
                    pool.total,
                    pool.free);
    if (pool.total >= host::pages_for(options.testpmd_bytes, pool.page_kib)) {
      findings.ok(line);
    } else {
      findings.warn(line, reserve_more(facts, options, node_id).commands);
    }
  }
  Finding finding = findings.build(
      "no MANA function",
      "reserve the missing pages; the number in the command includes the pages that are in use; "
      "manactl bench, and testpmd with fewer packet buffers (--total-num-mbufs), need fewer pages");
  mention_unused_pages(facts, finding);
  return finding;
}

// ---- mounts -------------------------------------------------------------------------------------

// Warns if pages are reserved, but no mount has their size. EAL then finds no memory, except with
// --in-memory.
std::optional<Finding> mounted_for_other_sizes(const host::Memory& memory) {
  if (!host::has_reserved_pages(memory) || memory.mounts->empty()) return std::nullopt;
  std::vector<std::string> mounted, reserved;
  Finding finding = warn("",
                         {"add a mount of hugetlbfs for the reserved pages (in /etc/fstab to make "
                          "it permanent); a program with --in-memory needs none",
                          {}});
  for (const auto& mount : *memory.mounts) {
    const auto size = mount.page_kib == 0 ? host::default_page_kib(memory) : mount.page_kib;
    mounted.push_back(size_text(size));
  }
  for (const Pool& pool : *memory.pools) {
    const auto size = size_text(pool.page_kib);
    if (pool.total == 0) continue;
    if (std::ranges::find(mounted, size) != mounted.end()) return std::nullopt;
    if (std::ranges::find(reserved, size) != reserved.end()) continue;  // on another node
    reserved.push_back(size);
    const auto path = fmt::format("/dev/hugepages-{}kB", pool.page_kib);
    finding.remedy->commands.push_back("mkdir -p " + path);
    finding.remedy->commands.push_back(
        fmt::format("mount -t hugetlbfs -o pagesize={}K nodev {}", pool.page_kib, path));
  }
  finding.detail =
      fmt::format("pages of {} are reserved, but hugetlbfs is mounted only for pages of {}",
                  join(reserved, " and "),
                  join(mounted, " and "));
  return finding;
}

Finding mounts(const host::Facts& facts, const CheckOptions& /*options*/) {
  if (!facts.memory.mounts) return unknown(facts.memory.mounts.error().message);
  if (auto finding = mounted_for_other_sizes(facts.memory)) return *std::move(finding);
  std::vector<std::string> lines;
  for (const host::HugepageMount& mount : *facts.memory.mounts) {
    const std::string size =
        mount.page_kib == 0 ? std::string("default size") : size_text(mount.page_kib);
    lines.push_back(fmt::format("{} ({})", mount.path, size));
  }
  if (lines.empty()) {
    return pass("only with --in-memory: hugetlbfs is not mounted",
                {"manactl needs no mount; without a mount, other DPDK programs need --in-memory"});
  }
  return pass(brief(lines), lines);
}

constexpr std::array<std::string_view, 1> kHugepageCauses = {"memory.hugepages"};
constexpr std::array<std::string_view, 2> kTestpmdCauses = {"memory.hugepages", "memory.node"};

constexpr std::array kMemoryChecks = {
    Check{"memory.hugepages",
          "hugepages are reserved and free",
          "No hugepages are free",
          Requirement::azure,
          Use::dpdk,
          hugepages},
    Check{"memory.node",
          "the NIC's node has enough hugepages",
          "The NIC's node has too few free hugepages",
          Requirement::mana,
          Use::dpdk,
          node,
          kHugepageCauses},
    Check{"memory.testpmd",
          "the hugepages suffice for dpdk-testpmd",
          "Too few hugepages for dpdk-testpmd",
          Requirement::mana,
          Use::dpdk,
          testpmd,
          kTestpmdCauses},
    Check{"memory.mounts",
          "programs can map hugepages",
          "Programs cannot map hugepages",
          Requirement::none,
          Use::dpdk,
          mounts},
};

}  // namespace

std::span<const Check> memory_checks() {
  return kMemoryChecks;
}

}  // namespace manactl::diag
