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

std::vector<std::string> nothing_moved(Mode mode, const Sample& total) {
  std::vector<std::string> notes;
  // A forwarder that receives nothing has nothing to send.
  const bool nothing_came = receives(mode) && total.rx.packets == 0;
  const bool has_packets = mode != Mode::fwd || !nothing_came;
  if (sends(mode) && has_packets && total.tx.packets == 0) notes.emplace_back("nothing was sent");
  // Of a mode with requests their answers are told.
  if (nothing_came && mode != Mode::rtt) notes.emplace_back("nothing was received");
  return notes;
}

// A request leaves when there is room for it, however high the rate.
std::string waits_for_answers(const BenchPlan& plan) {
  return fmt::format(
      "answers were awaited, for at most {} requests of a queue are open at a time, or the device "
      "or the workers were too slow",
      plan.burst);
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

std::vector<std::string> count_notes(const BenchPlan& plan,
                                     const std::vector<PortReport>& ports,
                                     const Trial& trial) {
  auto notes = nothing_moved(plan.mode, trial.total);
  const auto sent = trial.total.tx.packets;
  if (sent == 0) return notes;
  const auto asked = asked_packets(plan, ports, trial);
  const bool slow = static_cast<double>(sent) < kNearly * asked;
  if (plan.mode == Mode::rtt) {
    const auto answered = std::min(trial.total.rx.packets, sent);
    if (answered < sent) {
      notes.push_back(fmt::format("{} of {} requests had no answer", sent - answered, sent));
    }
  }
  if (slow) {
    notes.push_back(fmt::format(
        "{:.3g} % of the rate that was asked for left: {}",
        100 * static_cast<double>(sent) / asked,
        plan.mode == Mode::rtt ? waits_for_answers(plan)
                               : "the device took no more, or the workers were kept from running"));
  }
  return notes;
}

}  // namespace manactl::datapath
