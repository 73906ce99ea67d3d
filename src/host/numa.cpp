// SPDX-License-Identifier: MIT

#include "host/numa.h"

#include <algorithm>
#include <array>

#include "base/characters.h"
#include "base/text.h"

namespace manactl::host {
namespace {

constexpr std::uint64_t kMaxNodes = 1U << 16;

// The number in "hugepages-2048kB" or "node1"; empty if the name has another form.
std::optional<std::uint64_t> number_in(std::string_view name,
                                       std::string_view prefix,
                                       std::string_view suffix,
                                       std::uint64_t max) {
  if (!name.starts_with(prefix) || !name.ends_with(suffix)) return std::nullopt;
  if (name.size() < prefix.size() + suffix.size()) return std::nullopt;
  name.remove_prefix(prefix.size());
  name.remove_suffix(suffix.size());
  const auto number = parse_unsigned(name, max);
  if (!number) return std::nullopt;
  return *number;
}

Result<std::uint64_t> read_count(const os::Files& files, const std::string& path) {
  const auto text = files.read(path);
  if (!text) return tl::unexpected<Error>(text.error());
  const auto count = parse_unsigned(*text);
  if (!count) return because(count.error(), fmt::format("cannot read '{}'", path));
  return *count;
}

// Adds the pools of every page size below `directory`.
Result<> add_pools(const os::Files& files,
                   const std::string& directory,
                   int node,
                   std::vector<HugepagePool>& pools) {
  constexpr std::uint64_t kMaxKib = 1ULL << 40;
  const auto sizes = files.list(directory);
  if (!sizes) {
    // The node has no memory, or the kernel does not support hugetlb.
    if (sizes.error().code == Errc::not_found) return {};
    return tl::unexpected<Error>(sizes.error());
  }
  for (const auto& size : *sizes) {
    const auto kib = number_in(size, "hugepages-", "kB", kMaxKib);
    if (!kib || *kib == 0) continue;
    const auto total = read_count(files, fmt::format("{}/{}/nr_hugepages", directory, size));
    if (!total) return tl::unexpected<Error>(total.error());
    const auto free = read_count(files, fmt::format("{}/{}/free_hugepages", directory, size));
    if (!free) return tl::unexpected<Error>(free.error());
    pools.push_back({node, *kib, *total, *free});
  }
  return {};
}

Result<std::vector<HugepagePool>> gather_pools(const os::Files& files) {
  std::vector<HugepagePool> pools;
  const std::string nodes = "sys/devices/system/node";
  const auto entries = files.list(nodes);
  if (!entries && entries.error().code != Errc::not_found) {
    return tl::unexpected<Error>(entries.error());
  }
  bool has_nodes = false;
  for (const auto& entry : entries.value_or(std::vector<std::string>{})) {
    const auto node = number_in(entry, "node", "", kMaxNodes);
    if (!node) continue;
    has_nodes = true;
    const auto added = add_pools(
        files, fmt::format("{}/{}/hugepages", nodes, entry), static_cast<int>(*node), pools);
    if (!added) return tl::unexpected<Error>(added.error());
  }
  if (!has_nodes) {
    const auto added = add_pools(files, "sys/kernel/mm/hugepages", 0, pools);
    if (!added) return tl::unexpected<Error>(added.error());
  }
  std::ranges::sort(
      pools, {}, [](const HugepagePool& pool) { return std::pair(pool.node, pool.page_kib); });
  return pools;
}

// Decodes a path of proc/mounts, which escapes blanks and backslashes as \ and 3 octal digits.
std::string unescape(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal_digit(text[i + 1]) &&
        is_octal_digit(text[i + 2]) && is_octal_digit(text[i + 3])) {
      const int value = (text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0');
      result += static_cast<char>(value);
      i += 3;
    } else {
      result += text[i];
    }
  }
  return result;
}

// The size in KiB of "2M", "1024M", "1G" or "64K" (pagesize= of proc/mounts); 0 for other texts.
std::uint64_t page_kib(std::string_view text) {
  constexpr std::uint64_t kMax = 1U << 30;
  if (text.empty()) return 0;
  const char unit = text.back();
  const auto number = parse_unsigned(text.substr(0, text.size() - 1), kMax);
  if (!number) return 0;
  if (unit == 'K') return *number;
  if (unit == 'M') return *number << 10;
  return unit == 'G' ? *number << 20 : 0;
}

Result<std::vector<HugepageMount>> gather_mounts(const os::Files& files) {
  const auto text = files.read("proc/mounts");
  if (!text) return tl::unexpected<Error>(text.error());
  std::vector<HugepageMount> mounts;
  for (const auto line : split(*text, '\n')) {
    if (line.find(" hugetlbfs ") == std::string_view::npos) continue;
    const auto fields = words(line);  // device, path, type, options
    if (fields.size() < 4 || fields[2] != "hugetlbfs") continue;
    HugepageMount mount{unescape(fields[1]), 0};
    for (const auto option : split(fields[3], ',')) {
      constexpr std::string_view kKey = "pagesize=";
      if (option.starts_with(kKey)) mount.page_kib = page_kib(option.substr(kKey.size()));
    }
    mounts.push_back(std::move(mount));
  }
  return mounts;
}

// The value of a line "Hugepagesize:  2048 kB" of a meminfo file, in KiB. In the file of a node,
// "Node 0 " precedes each key.
std::optional<std::uint64_t> meminfo_kib(std::string_view text, std::string_view key) {
  for (const auto line : split(text, '\n')) {
    const auto fields = words(line);
    for (std::size_t i = 0; i + 1 < fields.size(); ++i) {
      if (!fields[i].ends_with(':') || fields[i].substr(0, fields[i].size() - 1) != key) continue;
      const auto number = parse_unsigned(fields[i + 1], UINT64_MAX >> 10U);
      return number ? std::optional(*number) : std::nullopt;
    }
  }
  return std::nullopt;
}

std::uint64_t default_page_kib(const os::Files& files) {
  const auto text = files.read("proc/meminfo");
  return text ? meminfo_kib(*text, "Hugepagesize").value_or(0) : 0;
}

// The kernel has no MemAvailable for a node, but free memory and the page cache of files.
std::optional<std::uint64_t> available_kib(const os::Files& files, unsigned node) {
  const auto text = files.read(fmt::format("sys/devices/system/node/node{}/meminfo", node));
  if (!text) return std::nullopt;
  const auto free = meminfo_kib(*text, "MemFree");
  if (!free) return std::nullopt;
  return *free + meminfo_kib(*text, "Active(file)").value_or(0) +
         meminfo_kib(*text, "Inactive(file)").value_or(0);
}

std::map<int, CpuList> gather_node_cpus(const os::Files& files) {
  std::map<int, CpuList> found;
  const auto entries = files.list("sys/devices/system/node");
  for (const auto& entry : entries.value_or(std::vector<std::string>{})) {
    const auto node = number_in(entry, "node", "", kMaxNodes);
    if (!node) continue;
    auto cpus = cpus_of_node(files, static_cast<int>(*node));
    if (cpus) found.emplace(*node, std::move(*cpus));
  }
  return found;
}

}  // namespace

Result<CpuList> cpus_of_node(const os::Files& files, int node) {
  const auto text = files.read(fmt::format("sys/devices/system/node/node{}/cpulist", node));
  if (!text) return tl::unexpected<Error>(text.error());
  return CpuList::parse(*text);
}

int numa_node_of(const Facts& facts, const Nic& nic) {
  if (!facts.functions || !nic.vf) return -1;
  for (const auto& function : *facts.functions) {
    if (function.address == nic.vf->pci) return function.numa_node;
  }
  return -1;
}

std::set<int> mana_nodes(const Facts& facts) {
  std::set<int> nodes;
  for (const auto& function : facts.functions.value_or(std::vector<PciFunction>{})) {
    if (function.is_mana()) nodes.insert(function.numa_node);
  }
  return nodes;
}

int common_node(const Facts& facts) {
  const auto nodes = mana_nodes(facts);
  return nodes.size() == 1 ? *nodes.begin() : -1;
}

Memory gather_memory(const os::Files& files) {
  return {
      gather_pools(files), gather_mounts(files), default_page_kib(files), gather_node_cpus(files)};
}

std::optional<std::uint64_t> available_memory(const os::Files& files, unsigned node) {
  const auto text = files.read("proc/meminfo");
  const auto all = text ? meminfo_kib(*text, "MemAvailable") : std::nullopt;
  const auto on_node = available_kib(files, node);
  if (!all && !on_node) return std::nullopt;
  return std::min(all.value_or(UINT64_MAX >> 10U), on_node.value_or(UINT64_MAX >> 10U)) << 10U;
}

}  // namespace manactl::host
