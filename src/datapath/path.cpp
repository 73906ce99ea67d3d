// SPDX-License-Identifier: MIT
#include "datapath/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace manactl::datapath {

namespace {

// Broadcasts come in on the synthetic device even while a VF carries everything else.
constexpr double kMostly = 0.99;
constexpr double kLisaLimit = 1.2e6;  // packets per second: LISA calls what is faster the VF

constexpr std::array kVirtual = {"net_null",
                                 "net_ring",
                                 "net_memif",
                                 "net_pcap",
                                 "net_tap",
                                 "net_tun",
                                 "net_af_packet",
                                 "net_af_xdp",
                                 "net_virtio_user"};

// "tx_q12_good_packets": 'tx_' or 'rx_', a queue, and the name that net_netvsc gives its own.
bool counts_synthetic(std::string_view name, std::string_view direction) {
  if (!name.starts_with(direction)) return false;
  name.remove_prefix(direction.size());
  if (!name.starts_with("q")) return false;
  name.remove_prefix(1);
  unsigned queue = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), queue);
  if (error != std::errc()) return false;
  name.remove_prefix(static_cast<std::size_t>(end - name.data()));
  return name == "_good_packets";
}

Ways& operator+=(Ways& sum, const Ways& other) {
  sum.vf += other.vf;
  sum.synthetic += other.synthetic;
  return sum;
}

// Of one port over all trials, in the directions that the mode is about; nothing when one trial
// was not told.
std::optional<Ways> ways_of(Mode mode, const BenchReport& report, std::size_t port) {
  Ways sum;
  for (const auto& trial : report.trials) {
    if (port >= trial.paths.size() || !trial.paths[port]) return std::nullopt;
    if (sends(mode)) sum += trial.paths[port]->tx;
    if (receives(mode)) sum += trial.paths[port]->rx;
  }
  return report.trials.empty() ? std::nullopt : std::optional(sum);
}

PathReport by_counters(const std::string& device, const Ways& ways) {
  const auto all = ways.vf + ways.synthetic;
  auto seen = fmt::format("{}: {} packets went through the VF and {} through the synthetic device",
                          device,
                          ways.vf,
                          ways.synthetic);
  if (all == 0) return {Path::unknown, {std::move(seen)}};
  const bool mostly = static_cast<double>(ways.vf) >= kMostly * static_cast<double>(all);
  return {mostly ? Path::vf : Path::synthetic, {std::move(seen)}};
}

PathReport of_netvsc(const PortReport& port, const std::optional<Ways>& ways) {
  if (ways) {
    auto report = by_counters(port.device, *ways);
    if (!port.lower.empty()) {
      report.evidence.push_back(fmt::format("{}: {} owns the VF below", port.device, port.lower));
    }
    return report;
  }
  if (port.lower.empty()) {
    return {Path::synthetic, {fmt::format("{}: net_netvsc has no VF below it", port.device)}};
  }
  return {Path::unknown,
          {fmt::format("{}: {} owns a VF below net_netvsc, and no counter tells whether it carried "
                       "the packets",
                       port.device,
                       port.lower)}};
}

PathReport of_port(Mode mode, const BenchReport& report, std::size_t index) {
  const auto& port = report.ports[index];
  if (port.driver == "net_netvsc") return of_netvsc(port, ways_of(mode, report, index));
  if (port.driver == "net_mana" || report.engine == "verbs") {
    return {
        Path::vf,
        {fmt::format(
            "{}: {} drives the VF itself, with nothing in front of it", port.device, port.driver)}};
  }
  if (std::find(kVirtual.begin(), kVirtual.end(), port.driver) != kVirtual.end()) {
    return {Path::emulated, {fmt::format("{}: {} is no NIC", port.device, port.driver)}};
  }
  return {Path::unknown, {fmt::format("{}: {} is not known here", port.device, port.driver)}};
}

// Rates of ports behind net_netvsc, held against LISA's rule. Never more than a hint: it says
// nothing of a run that was asked to be slower, and of large frames.
std::string lisa_hint(Mode mode, const BenchReport& report) {
  double fastest = 0;
  for (const auto& trial : report.trials) {
    if (trial.total.seconds <= 0) continue;
    const auto packets = static_cast<double>(headline(mode, trial.total).packets);
    fastest = std::max(fastest, packets / trial.total.seconds);
  }
  const bool above = fastest > kLisaLimit;
  return fmt::format("{:.2f} Mpps is {} the 1.2 Mpps above which LISA assumes the VF: a hint only",
                     fastest / 1e6,
                     above ? "above" : "not above");
}

Path join(Path one, Path other) {
  if (one == other) return one;
  const bool synthetic = one == Path::synthetic || other == Path::synthetic;
  return synthetic ? Path::synthetic : Path::unknown;
}

}  // namespace

std::string_view name_of(Path path) {
  switch (path) {
    case Path::vf:
      return "vf";
    case Path::synthetic:
      return "synthetic";
    case Path::emulated:
      return "virtual";
    case Path::unknown:
      break;
  }
  return "unknown";
}

std::optional<PathCount> path_count(std::span<const NamedCount> counts) {
  PathCount found;
  bool any = false;
  for (const auto& [name, value] : counts) {
    std::uint64_t* sum = nullptr;
    if (name == "vf_tx_good_packets") sum = &found.tx.vf;
    if (name == "vf_rx_good_packets") sum = &found.rx.vf;
    if (counts_synthetic(name, "tx_")) sum = &found.tx.synthetic;
    if (counts_synthetic(name, "rx_")) sum = &found.rx.synthetic;
    if (sum == nullptr) continue;
    *sum += value;
    any = true;
  }
  return any ? std::optional(found) : std::nullopt;
}

PathCount operator-(const PathCount& now, const PathCount& before) {
  const auto since = [](const Ways& later, const Ways& earlier) {
    return Ways{later.vf - std::min(later.vf, earlier.vf),
                later.synthetic - std::min(later.synthetic, earlier.synthetic)};
  };
  return {since(now.tx, before.tx), since(now.rx, before.rx)};
}

PathReport path_of(Mode mode, const BenchReport& report) {
  PathReport all;
  bool netvsc = false;
  for (std::size_t i = 0; i < report.ports.size(); ++i) {
    auto port = of_port(mode, report, i);
    all.verdict = i == 0 ? port.verdict : join(all.verdict, port.verdict);
    for (auto& sentence : port.evidence) all.evidence.push_back(std::move(sentence));
    netvsc = netvsc || report.ports[i].driver == "net_netvsc";
  }
  if (netvsc) all.evidence.push_back(lisa_hint(mode, report));
  return all;
}

}  // namespace manactl::datapath
