// SPDX-License-Identifier: MIT

#include "setup/plan_hugepages.h"

#include <algorithm>
#include <functional>

#include "base/text.h"
#include "host/numa.h"
#include "host/testpmd.h"
#include "setup/boot_hugepages.h"
#include "setup/steps.h"

namespace manactl::setup {
namespace {

std::uint64_t page_kib_of(const HugepageRequest& request, const host::Facts& facts) {
  return request.page_kib != 0 ? request.page_kib : host::default_page_kib(facts.memory);
}

std::uint64_t pages_of(const HugepageRequest& request, std::uint64_t kib) {
  return request.pages != 0 ? request.pages : host::pages_for(request.bytes, kib);
}

std::uint64_t bytes_of_program(const HugepageRequest& request,
                               const host::Facts& facts,
                               int nic_node) {
  return request.bytes != 0 ? request.bytes : host::size_of_testpmd(facts, nic_node).hugepage_bytes;
}

std::string pool_name(std::uint64_t kib) {
  return fmt::format("hugepages-{}kB", kib);
}

Result<std::string> pool_of(const HugepageRequest& request,
                            std::uint64_t kib,
                            unsigned node,
                            const os::Files& files) {
  const std::string nodes = "sys/devices/system/node";
  const auto size = pool_name(kib);
  std::string pool = "sys/kernel/mm/hugepages/" + size;
  if (exists(files, nodes) || request.node) {
    pool = fmt::format("{}/node{}/hugepages/{}", nodes, node, size);
  }
  if (exists(files, pool)) return pool;
  if (request.node && !exists(files, fmt::format("{}/node{}", nodes, node))) {
    return fail(Errc::unsupported, fmt::format("NUMA node {} does not exist", node));
  }
  return fail(
      Errc::unsupported,
      fmt::format("hugepages of {} are not available: '/{}' does not exist{}",
                  human_bytes(kib * 1024),
                  pool,
                  request.is_default ? "; '--hugepages none' prepares the NIC without them" : ""));
}

// The number of pages that the memory of the node allows; UINT64_MAX if its size is unknown.
std::uint64_t possible_pages(const os::Files& files, unsigned node, std::uint64_t kib) {
  constexpr std::uint64_t kMostKept = 1U << 30U;
  const auto available = host::available_memory(files, node);
  if (!available) return UINT64_MAX;
  return (*available - std::min(*available / 4, kMostKept)) / (kib * 1024);
}

// The pages that manactl has reserved in the pools whose directory ends with `pool`.
std::uint64_t pages_of_entries(const std::vector<Entry>& entries, const std::string& pool) {
  std::uint64_t pages = 0;
  for (const auto& entry : entries) {
    for (const auto& step : entry.steps) {
      const auto other = hugepages_of(step);
      if (other && other->pool.ends_with(pool) && !step.reverted)
        pages += other->granted.value_or(0);
    }
  }
  return pages;
}

// The pages that were reserved at boot for other NICs, and that no entry has recorded.
std::uint64_t pages_of_boot(const std::vector<BootPages>& boot,
                            const std::vector<Entry>& entries,
                            const std::function<bool(const std::string&)>& is_other,
                            const std::string& pool) {
  std::uint64_t pages = 0;
  for (const auto& share : boot) {
    const bool is_recorded = std::ranges::any_of(entries, [&](const Entry& entry) {
      return entry.persistent_name() == share.name && pages_of_entries({entry}, pool) != 0;
    });
    if (is_other(share.name) && share.pool.ends_with(pool) && !is_recorded) pages += share.pages;
  }
  return pages;
}

std::vector<std::string> unused_pages(const host::Memory& memory, const host::Facts& facts) {
  std::vector<std::string> warnings;
  for (const auto& pool : host::pools_elsewhere(memory, host::mana_nodes(facts))) {
    warnings.push_back(fmt::format(
        "{}; to release them, run '{}'", host::unused_text(pool), host::release_command(pool)));
  }
  return warnings;
}

}  // namespace

host::Memory memory_usable_by(const std::vector<std::string>& names,
                              host::Memory memory,
                              const std::vector<Entry>& entries,
                              const os::Files& files) {
  const std::string without_nic = Entry{}.persistent_name();
  const auto is_other = [&](const std::string& name) {
    return name != without_nic && std::ranges::find(names, name) == names.end();
  };
  auto of_others = entries;
  std::erase_if(of_others, [&](const Entry& entry) { return !is_other(entry.persistent_name()); });
  const auto boot = read_boot_hugepages(files);
  if (!memory.pools) return memory;
  for (auto& pool : *memory.pools) {
    const auto size = pool_name(pool.page_kib);
    std::uint64_t pages = 0;
    for (const auto& directory :
         {fmt::format("/node{}/hugepages/{}", pool.node, size), "/mm/hugepages/" + size}) {
      pages += pages_of_entries(of_others, directory) +
               pages_of_boot(boot, entries, is_other, directory);
    }
    pool.free -= std::min(pool.free, pages);
  }
  return memory;
}

Result<HugepagePlan> plan_hugepages(const HugepageRequest& request,
                                    const host::Facts& facts,
                                    int nic_node,
                                    const os::Files& files,
                                    const std::vector<Entry>& entries,
                                    const std::string& name) {
  constexpr std::uint64_t kMaxPages = 1U << 30;
  const auto kib = page_kib_of(request, facts);
  const unsigned node = request.node.value_or(static_cast<unsigned>(std::max(nic_node, 0)));
  const auto pool = pool_of(request, kib, node, files);
  if (!pool) return tl::unexpected<Error>(pool.error());
  const auto others = pages_of_entries(entries, *pool);
  const auto possible = possible_pages(files, node, kib);
  if (request.is_default) {
    const auto bytes = bytes_of_program(request, facts, nic_node);
    const auto memory = memory_usable_by({name}, facts.memory, entries, files);
    const auto missing = host::missing_pages(memory, static_cast<int>(node), bytes, kib);
    if (missing == 0) return HugepagePlan();
    return HugepagePlan{reserve_hugepages(*pool, std::min(missing, possible), others, missing),
                        unused_pages(memory, facts)};
  }
  const auto pages = pages_of(request, kib);
  if (pages > possible && possible == 0) {
    return fail(
        Errc::unsupported,
        fmt::format("cannot reserve any hugepage of {} on node {}: other programs would have "
                    "too little memory",
                    human_bytes(kib * 1024),
                    node));
  }
  if (pages > possible) {
    return fail(
        Errc::unsupported,
        fmt::format("cannot reserve {} hugepages of {} on node {}: more than {} would leave "
                    "too little memory for other programs; request fewer",
                    pages,
                    human_bytes(kib * 1024),
                    node,
                    possible));
  }
  if (pages > kMaxPages) return fail(Errc::invalid, "more than 2^30 hugepages requested");
  return HugepagePlan{reserve_hugepages(*pool, pages, others), {}};
}

std::string shortage_of(const HugepageRequest& request, const host::Facts& facts, int nic_node) {
  if (request.program.empty() || !facts.memory.pools) return {};
  const int node = std::max(nic_node, 0);
  const auto bytes = bytes_of_program(request, facts, nic_node);
  std::uint64_t reserved = 0;
  for (const auto& pool : *facts.memory.pools) {
    if (pool.node == node) reserved = std::max(reserved, pool.total * pool.page_kib * 1024);
  }
  if (reserved >= bytes) return {};
  return fmt::format("{} needs {} of hugepages, and node {} has {}",
                     request.program,
                     human_bytes(bytes),
                     node,
                     human_bytes(reserved));
}

bool fulfills(const StepRecord& record, const HugepageRequest& request, const host::Facts& facts) {
  const auto reserved = hugepages_of(record);
  const auto kib = page_kib_of(request, facts);
  if (!reserved || record.reverted || reserved->granted != pages_of(request, kib)) return false;
  const bool on_node = !request.node || reserved->pool.find(fmt::format(
                                            "/node{}/", *request.node)) != std::string::npos;
  return on_node && reserved->pool.ends_with("/" + pool_name(kib));
}

}  // namespace manactl::setup
