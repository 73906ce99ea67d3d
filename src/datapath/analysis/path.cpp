// SPDX-License-Identifier: MIT
#include "datapath/analysis/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "datapath/engines.h"

namespace manactl::datapath {

namespace {

// Less than 1, because broadcasts arrive on the synthetic device while the VF carries all the rest.
constexpr double kMinVfShare = 0.99;
constexpr double kLisaLimit = 1.2e6;  // packets per second; see lisa_hint()

constexpr std::array kVirtual = {"net_null",
                                 "net_ring",
                                 "net_memif",
                                 "net_pcap",
                                 "net_tap",
                                 "net_tun",
                                 "net_af_packet",
                                 "net_af_xdp",
                                 "net_virtio_user"};

// True for net_netvsc's counters of the synthetic device, such as "tx_q12_good_packets".
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

PathPackets& operator+=(PathPackets& sum, const PathPackets& other) {
  sum.vf += other.vf;
  sum.synthetic += other.synthetic;
  return sum;
}

// The packets of a port in all trials, in the mode's directions; nullopt if a trial lacks counters.
std::optional<PathPackets> packets_of(Mode mode, const BenchReport& report, std::size_t port) {
  PathPackets sum;
  for (const auto& trial : report.trials) {
    if (port >= trial.paths.size() || !trial.paths[port]) return std::nullopt;
    if (sends(mode)) sum += trial.paths[port]->tx;
    if (receives(mode)) sum += trial.paths[port]->rx;
  }
  return report.trials.empty() ? std::nullopt : std::optional(sum);
}

PathReport by_counters(const std::string& device, const PathPackets& packets) {
  const auto all = packets.vf + packets.synthetic;
  auto evidence =
      fmt::format("{}: {} packets went through the VF and {} through the synthetic device",
                  device,
                  packets.vf,
                  packets.synthetic);
  if (all == 0) return {Path::unknown, {std::move(evidence)}};
  const bool is_vf = static_cast<double>(packets.vf) >= kMinVfShare * static_cast<double>(all);
  return {is_vf ? Path::vf : Path::synthetic, {std::move(evidence)}};
}

PathReport of_netvsc(const PortReport& port, const std::optional<PathPackets>& packets) {
  if (packets) {
    auto report = by_counters(port.device, *packets);
    if (!port.lower.empty()) {
      report.evidence.push_back(
          fmt::format("{}: {} drives the VF below it", port.device, port.lower));
    }
    return report;
  }
  if (port.lower.empty()) {
    return {Path::synthetic, {fmt::format("{}: net_netvsc has no VF below it", port.device)}};
  }
  return {
      Path::unknown,
      {fmt::format("{}: {} drives a VF below net_netvsc, and no counter shows whether it carried "
                   "the packets",
                   port.device,
                   port.lower)}};
}

bool drives_mana(std::string_view driver) {
  return std::any_of(kEngines.begin(), kEngines.end(), [&](const EngineRow* engine) {
    return engine->mana_driver == driver;
  });
}

PathReport of_port(Mode mode, const BenchReport& report, std::size_t index) {
  const auto& port = report.ports[index];
  if (port.driver == "net_netvsc") return of_netvsc(port, packets_of(mode, report, index));
  if (drives_mana(port.driver)) {
    return {Path::vf, {fmt::format("{}: {} drives the VF directly", port.device, port.driver)}};
  }
  if (std::find(kVirtual.begin(), kVirtual.end(), port.driver) != kVirtual.end()) {
    return {Path::emulated, {fmt::format("{}: {} is not a NIC driver", port.device, port.driver)}};
  }
  return {Path::unknown,
          {fmt::format("{}: the path of driver {} is unknown", port.device, port.driver)}};
}

// For ports of net_netvsc: whether the highest rate exceeds the rate above which LISA (Microsoft's
// Linux test framework) assumes the VF. Only a hint: paced or large frames may stay below it.
std::string lisa_hint(Mode mode, const BenchReport& report) {
  double fastest = 0;
  for (const auto& trial : report.trials) {
    if (trial.total.seconds <= 0) continue;
    const auto packets = static_cast<double>(headline(mode, trial.total).packets);
    fastest = std::max(fastest, packets / trial.total.seconds);
  }
  const bool above = fastest > kLisaLimit;
  return fmt::format("{:.2f} Mpps {} (LISA assumes the VF above 1.2 Mpps; this is only a hint)",
                     fastest / 1e6,
                     above ? "indicates the VF" : "does not indicate the VF");
}

Path join(Path one, Path other) {
  if (one == other) return one;
  const bool synthetic = one == Path::synthetic || other == Path::synthetic;
  return synthetic ? Path::synthetic : Path::unknown;
}

}  // namespace

std::optional<PathCounters> sum_path_counters(std::span<const NamedCount> counts) {
  PathCounters found;
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

PathCounters operator-(const PathCounters& now, const PathCounters& before) {
  const auto since = [](const PathPackets& later, const PathPackets& earlier) {
    return PathPackets{later.vf - std::min(later.vf, earlier.vf),
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
