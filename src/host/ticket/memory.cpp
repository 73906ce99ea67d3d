// SPDX-License-Identifier: MIT
//
// The installed DPDK and the hugepages of a ticket.

#include <algorithm>

#include "base/text.h"
#include "host/testpmd.h"
#include "host/ticket/statements.h"
#include "host/versions.h"

namespace manactl::host {
namespace {

constexpr int kAnyNode = -1;

std::optional<std::uint64_t> number_of(const TicketStatements& statements, const std::string& key) {
  const auto* const found = statements.find(key);
  const auto number = found == nullptr
                          ? Result<std::uint64_t>(fail(Errc::unsupported, "not in the log"))
                          : parse_unsigned(found->value);
  return number ? std::optional(*number) : std::nullopt;
}

// Pools of one node and size, or sums of all nodes; those of other sizes may exist.
std::vector<HugepagePool> pools_of_files(const TicketStatements& statements, Ticket& ticket) {
  std::vector<HugepagePool> pools;
  for (const auto& node : statements.subjects("hugepages")) {
    for (const unsigned size : {2048U, 1048576U, 65536U, 32768U, 524288U}) {
      const auto key = fmt::format("hugepages {} {} ", node, size);
      const auto total = number_of(statements, key + "nr_hugepages");
      const auto free = number_of(statements, key + "free_hugepages");
      const auto number = parse_unsigned(node, INT16_MAX);
      if (total && free && number) {
        pools.push_back({static_cast<int>(*number), size, *total, *free});
      }
      const bool is_sum = !number && total &&
                          std::ranges::find(pools, size, &HugepagePool::page_kib) == pools.end();
      if (!is_sum) continue;
      pools.push_back({kAnyNode, size, *total, free.value_or(0)});
      ticket.knows_free_pages = ticket.knows_free_pages && (free || *total == 0);
    }
  }
  return pools;
}

// The mounts, and for each of their page sizes the number of reserved pages, which must be known:
// then pools of other sizes that no mount has cannot be used.
void add_mounts(const TicketStatements& statements, Ticket& ticket) {
  const auto* const all = statements.find("hugetlbfs-mounts");
  auto& memory = ticket.facts.memory;
  if (all == nullptr || !memory.pools) return;
  std::vector<HugepageMount> mounts;
  for (const auto& path : statements.subjects("hugetlbfs")) {
    const auto size = number_of(statements, fmt::format("hugetlbfs {} pagesize", path));
    if (!size) return;
    mounts.push_back({path, *size == 0 ? default_page_kib(memory) : *size});
    const auto is_of_size = [&](const HugepagePool& pool) {
      return pool.page_kib == mounts.back().page_kib;
    };
    if (std::ranges::none_of(*memory.pools, is_of_size)) return;
  }
  memory.mounts = std::move(mounts);
  ticket.shown_by.try_emplace("mounts", all->line);
}

}  // namespace

// The drivers are packages of their own, named like librte-eal24 and librte-net-mana24 after the
// ABI. A list without that of MANA may have been filtered.
void add_ticket_dpdk(const TicketStatements& statements, Ticket& ticket) {
  constexpr std::string_view kEal = "librte-eal";
  std::vector<SystemDpdk> found;
  const auto packages = statements.subjects("package");
  for (const auto& name : packages) {
    if (!name.starts_with(kEal)) continue;
    const auto abi = name.substr(kEal.size());
    const auto* const version = statements.find(fmt::format("package {} version", name));
    if (version == nullptr || !packages.contains("librte-net-mana" + abi)) continue;
    SystemDpdk dpdk;
    dpdk.library = "package " + name;
    dpdk.version = upstream_version(version->value);
    dpdk.net_mana = true;
    dpdk.net_netvsc = packages.contains("librte-net-netvsc" + abi);
    found.push_back(std::move(dpdk));
    ticket.shown_by.try_emplace("dpdk", version->line);
  }
  const auto* const package = statements.find("package dpdk version");
  const auto* const mana = statements.find("pmds net_mana");
  if (found.empty() && package != nullptr && mana != nullptr) {
    SystemDpdk dpdk;
    dpdk.library = "package dpdk";
    dpdk.version = upstream_version(package->value);
    dpdk.plugin_directory = statements.value("pmds directory");
    dpdk.net_mana = mana->value == "yes";
    dpdk.net_netvsc = statements.value("pmds net_netvsc") == "yes";
    found.push_back(std::move(dpdk));
    ticket.shown_by.try_emplace("dpdk", mana->line);
  }
  if (!found.empty()) ticket.facts.dpdk = std::move(found);
}

void add_ticket_memory(const TicketStatements& statements, Ticket& ticket) {
  auto& memory = ticket.facts.memory;
  const auto size = number_of(statements, "meminfo Hugepagesize");
  if (size) memory.default_page_kib = *size;
  auto pools = pools_of_files(statements, ticket);
  const auto total = number_of(statements, "meminfo HugePages_Total");
  const auto free = number_of(statements, "meminfo HugePages_Free");
  // Hugetlb counts the pages of all sizes (Documentation/filesystems/proc.rst).
  const auto all = number_of(statements, "meminfo Hugetlb");
  const bool has_none = total == 0U && all == 0U;
  const auto usual = default_page_kib(memory);
  const bool is_other = std::ranges::find(pools, usual, &HugepagePool::page_kib) == pools.end();
  if (is_other && total && free && (*total > 0 || size)) {
    pools.push_back({kAnyNode, usual, *total, *free});
  }
  const bool is_reserved =
      std::ranges::any_of(pools, [](const HugepagePool& pool) { return pool.total > 0; });
  if (!has_none && !is_reserved) return;
  memory.pools = has_none ? std::vector<HugepagePool>{} : std::move(pools);
  for (const char* const key : {"meminfo Hugetlb", "meminfo HugePages_Total"}) {
    if (const auto* const line = statements.find(key))
      ticket.shown_by.try_emplace("pools", line->line);
  }
  add_mounts(statements, ticket);
}

}  // namespace manactl::host
