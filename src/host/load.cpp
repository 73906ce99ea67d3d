// SPDX-License-Identifier: MIT

#include "host/load.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/text.h"
#include "host/facts.h"

namespace manactl::host {
namespace {

constexpr std::string_view kQueueName = "mana_q";
constexpr std::string_view kFunctionMark = "@pci:";

// The CPUs that "           CPU0       CPU2" names.
std::vector<unsigned> cpus_in_header(std::string_view line) {
  std::vector<unsigned> cpus;
  for (const auto word : words(line)) {
    if (!word.starts_with("CPU")) return {};
    const auto cpu = parse_unsigned(word.substr(3), UINT32_MAX);
    if (!cpu) return {};
    cpus.push_back(static_cast<unsigned>(*cpu));
  }
  return cpus;
}

// Returns the numbers of a row "24: 7 0 ..." by CPU; empty if a number is missing.
std::map<unsigned, std::uint64_t> counts_in(const std::vector<std::string_view>& row,
                                            const std::vector<unsigned>& cpus) {
  std::map<unsigned, std::uint64_t> counts;
  if (row.size() <= cpus.size()) return {};
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const auto count = parse_unsigned(row[i + 1]);
    if (!count) return {};
    counts[cpus[i]] = *count;
  }
  return counts;
}

CpuList affinity_of(const os::Files& files, std::uint64_t interrupt) {
  for (const std::string_view file : {"effective_affinity_list", "smp_affinity_list"}) {
    const auto text = files.read(fmt::format("proc/irq/{}/{}", interrupt, file));
    if (!text) continue;
    const auto cpus = CpuList::parse(trim(*text));
    if (cpus && !cpus->cpus.empty()) return *cpus;
  }
  return {};
}

Result<std::vector<QueueInterrupt>> gather_interrupts(const os::Files& files) {
  const auto text = files.read("proc/interrupts");
  if (!text) return tl::unexpected<Error>(text.error());
  const auto lines = split(*text, '\n');
  const auto cpus = cpus_in_header(lines.front());
  if (cpus.empty()) return fail(Errc::invalid, "proc/interrupts does not begin with CPUs");
  std::vector<QueueInterrupt> interrupts;
  for (const auto line : lines) {
    const auto row = words(line);
    const auto mark = row.empty() ? std::string_view::npos : row.back().find(kFunctionMark);
    if (mark == std::string_view::npos || !row.back().starts_with(kQueueName)) continue;
    const auto function = PciAddress::parse(row.back().substr(mark + kFunctionMark.size()));
    const auto number = parse_unsigned(row.front().substr(0, row.front().find(':')));
    auto counts = counts_in(row, cpus);
    if (!function || !number || counts.empty()) {
      return fail(Errc::invalid,
                  fmt::format("proc/interrupts has an unexpected line '{}'", printable(line)));
    }
    interrupts.push_back(
        {printable(row.back()), *function, std::move(counts), affinity_of(files, *number)});
  }
  return interrupts;
}

// Parses "cpu12 1 2 3 4 5 6 7 8"; empty for other lines. guest and guest_nice, which follow steal,
// are parts of user and nice.
std::optional<CpuUse> parse_cpu_time(std::string_view line) {
  constexpr std::size_t kSoftirq = 7, kSteal = 8;
  const auto row = words(line);
  if (row.size() <= kSteal || !row.front().starts_with("cpu")) return std::nullopt;
  const auto cpu = parse_unsigned(row.front().substr(3), UINT32_MAX);
  if (!cpu) return std::nullopt;
  CpuUse use{static_cast<unsigned>(*cpu)};
  for (std::size_t i = 1; i <= kSteal; ++i) {
    const auto ticks = parse_unsigned(row[i]);
    if (!ticks) return std::nullopt;
    use.total += *ticks;
    if (i == kSoftirq) use.softirq = *ticks;
  }
  return use;
}

void add_softirqs(std::string_view text, std::vector<CpuUse>& uses) {
  const auto lines = split(text, '\n');
  const auto cpus = cpus_in_header(lines.front());
  for (const auto line : lines) {
    const auto row = words(line);
    if (row.empty() || row.front() != "NET_RX:") continue;
    for (const auto& [cpu, count] : counts_in(row, cpus)) {
      const auto use = std::ranges::find(uses, cpu, &CpuUse::cpu);
      if (use != uses.end()) use->net_rx = count;
    }
  }
}

Result<std::vector<CpuUse>> gather_cpus(const os::Files& files) {
  const auto text = files.read("proc/stat");
  if (!text) return tl::unexpected<Error>(text.error());
  std::vector<CpuUse> uses;
  for (const auto line : split(*text, '\n')) {
    if (const auto use = parse_cpu_time(line)) uses.push_back(*use);
  }
  if (uses.empty()) return fail(Errc::invalid, "proc/stat lists no CPU");
  if (const auto softirqs = files.read("proc/softirqs")) add_softirqs(*softirqs, uses);
  return uses;
}

double gather_uptime(const os::Files& files) {
  const auto text = files.read("proc/uptime");
  if (!text) return 0;
  constexpr double kHundredths = 100;
  const auto first = text->substr(0, text->find(' '));  // "1234.56 2345.67"
  const auto point = first.find('.');
  const auto whole = parse_unsigned(std::string_view(first).substr(0, point));
  const bool has_hundredths = point != std::string::npos && first.size() == point + 3;
  if (!whole || !has_hundredths) return 0;
  const double tens = first[point + 1] - '0', ones = first[point + 2] - '0';
  return static_cast<double>(*whole) + (10 * tens + ones) / kHundredths;
}

std::optional<std::uint64_t> number_in_file(const os::Files& files, const std::string& path) {
  const auto text = files.read(path);
  if (!text) return std::nullopt;
  const auto number = parse_unsigned(trim(*text));
  return number ? std::optional(*number) : std::nullopt;
}

bool has_rps(const os::Files& files, const std::string& queue) {
  const auto mask = files.read(queue + "/rps_cpus");
  return mask && mask->find_first_not_of("0,\n") != std::string::npos;
}

// Returns the directories of the queues whose names begin with `prefix`.
std::vector<std::string> queues_of(const os::Files& files,
                                   const std::string& interface,
                                   std::string_view prefix) {
  const auto base = fmt::format("sys/class/net/{}/queues", interface);
  std::vector<std::string> queues;
  for (const auto& queue : files.list(base).value_or(std::vector<std::string>{})) {
    if (queue.starts_with(prefix)) queues.push_back(fmt::format("{}/{}", base, queue));
  }
  return queues;
}

LoadCounters gather_counters_of(const os::System& system, const Netdev& netdev) {
  LoadCounters counters;
  const auto name = InterfaceName::parse(netdev.name);
  if (!name) return counters;
  const auto all = system.ethtool.counters(*name);
  for (const auto& [counter, value] : all.value_or(os::Counters{})) {
    const bool is_total = counter.find_first_of("0123456789") == std::string::npos;
    if (is_total) counters[counter] = value;
  }
  const auto base = "sys/class/net/" + name->str();
  counters["rx_packets"] = netdev.rx_packets;
  counters["tx_packets"] = netdev.tx_packets;
  for (const char* file : {"rx_packets", "tx_packets", "tx_dropped", "rx_missed_errors"}) {
    const auto value = number_in_file(system.files, fmt::format("{}/statistics/{}", base, file));
    if (value) counters[file] = *value;
  }
  for (const auto& queue : queues_of(system.files, netdev.name, "tx-")) {
    const auto timeouts = number_in_file(system.files, queue + "/tx_timeout");
    if (timeouts) counters["tx_timeout"] += *timeouts;
  }
  return counters;
}

void add_rps(const os::Files& files, const Netdev& vf, NicLoad& load) {
  for (const auto& queue : queues_of(files, vf.name, "rx-")) {
    ++load.rx_queues;
    if (has_rps(files, queue)) ++load.rps_queues;
  }
}

}  // namespace

Load gather_load(const os::System& system, const Facts& facts) {
  Load load;
  load.seconds = gather_uptime(system.files);
  load.interrupts = gather_interrupts(system.files);
  load.cpus = gather_cpus(system.files);
  for (const auto& nic : facts.nics.value_or(std::vector<Nic>{})) {
    NicLoad one{nic.name()};
    if (nic.synthetic) one.synthetic = gather_counters_of(system, *nic.synthetic);
    if (nic.vf) {
      one.vf = gather_counters_of(system, *nic.vf);
      add_rps(system.files, *nic.vf, one);
    }
    load.nics.push_back(std::move(one));
  }
  for (const auto& link : system.links.links().value_or(std::vector<os::Link>{})) {
    if (link.kind == "wireguard") load.wireguard.push_back(printable(link.name));
  }
  return load;
}

}  // namespace manactl::host
