// SPDX-License-Identifier: MIT
#include "datapath/notes.h"

#include <fmt/format.h>

#include <algorithm>

#include "datapath/plan.h"
#include "datapath/traffic.h"

namespace manactl::datapath {

namespace {

constexpr double kNearly = 0.99;  // of a rate: less is said

// By all ports together; 0 without a rate.
double asked_packets(const BenchPlan& plan,
                     const std::vector<PortReport>& ports,
                     const Trial& trial) {
  if (!trial.plan.rate || !makes_packets(plan.mode)) return 0;
  const auto seconds = trial.total.seconds;
  const auto ramp = trial.plan.ramp_seconds;
  const auto full = seconds < ramp ? seconds * seconds / (2 * ramp) : seconds - ramp / 2;
  double packets = 0;
  for (const auto& port : ports) {
    const auto rate = packets_per_second(*trial.plan.rate, plan.traffic, port.link_mbps);
    packets += rate.value_or(0) * full;
  }
  return packets;
}

}  // namespace

std::vector<std::string> traffic_notes(const BenchPlan& plan, bool physical) {
  std::vector<std::string> notes;
  if (plan.mode == Mode::rtt) {
    notes.emplace_back(
        "times are taken by software: they include the polling of both hosts, and what a packet "
        "waits for the others of its burst");
  }
  if (!physical || !makes_packets(plan.mode)) return notes;
  if (!plan.traffic.peer_ip) {
    notes.push_back(
        fmt::format("packets go to {}, which no network of Azure has: nobody receives them without "
                    "--peer ADDRESS",
                    kDestinationIp.str()));
  }
  const bool unknown =
      plan.nics.empty() ||
      std::any_of(plan.nics.begin(), plan.nics.end(), [](const Nic& nic) { return !nic.ip; });
  if (!plan.traffic.source_ip && unknown) {
    notes.push_back(
        fmt::format("packets come from {}, which is not the NIC's address: Azure drops them behind "
                    "the device; --src-ip ADDRESS tells the right one",
                    kSourceIp.str()));
  }
  return notes;
}

std::optional<std::string> rate_note(const BenchPlan& plan,
                                     const std::vector<PortReport>& ports,
                                     const Trial& trial) {
  const auto sent = static_cast<double>(trial.total.tx.packets);
  const auto asked = asked_packets(plan, ports, trial);
  if (sent >= kNearly * asked) return std::nullopt;
  return fmt::format(
      "{:.1f} % of the rate that was asked for left: the device took no more, or the workers were "
      "kept from running",
      100 * sent / asked);
}

}  // namespace manactl::datapath
