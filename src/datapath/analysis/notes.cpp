// SPDX-License-Identifier: MIT
#include "datapath/analysis/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "datapath/plan/fields.h"
#include "datapath/plan/plan.h"
#include "datapath/traffic/traffic.h"

namespace manactl::datapath {

namespace {

// The number of packets that all ports together should have sent; 0 if no rate was requested, or if
// a device was absent.
double requested_packets(const BenchPlan& plan,
                         const std::vector<PortReport>& ports,
                         const Trial& trial) {
  if (!trial.events.empty()) return 0;
  const auto seconds = trial.total.seconds;
  const auto ramp = trial.plan.ramp_seconds;
  const auto full_rate_seconds =
      seconds < ramp ? seconds * seconds / (2 * ramp) : seconds - ramp / 2;
  return requested_rate(plan, trial.plan, ports) * full_rate_seconds;
}

// A note on net_ring does not fit a run that also uses other devices.
bool uses_ring(const std::vector<PortReport>& ports) {
  return !ports.empty() && std::ranges::all_of(ports, [](const PortReport& port) {
    return port.driver == "net_ring";
  });
}

// Returns the note on a mode that received nothing. net_ring is the only device that is certain to
// have no sender.
std::string nothing_received_note(const BenchPlan& plan,
                                  const std::vector<PortReport>& ports,
                                  const Sample& total) {
  std::string note = "nothing was received";
  if (total.rx.missed.value_or(0) + total.rx.no_buffer.value_or(0) > 0)
    return note + ", because the device dropped every packet";
  if (generates_packets(plan.mode)) return note;
  const auto mode = name_of(PlanField::mode);
  if (uses_ring(ports)) {
    return note + fmt::format(
                      ", because net_ring returns only what this program sends: use {} txrx, or "
                      "net_null",
                      mode);
  }
  note +=
      fmt::format(": {} {} needs a sender that runs at the same time", mode, name_of(plan.mode));
  const bool may_drop = !total.rx.missed || !total.rx.no_buffer;
  return may_drop
             ? note + "; the device may also have dropped every packet, which it does not report"
             : note;
}

std::vector<std::string> nothing_moved(const BenchPlan& plan,
                                       const std::vector<PortReport>& ports,
                                       const Sample& total) {
  const auto mode = plan.mode;
  std::vector<std::string> notes;
  // A forwarder that receives nothing cannot send anything.
  const bool nothing_received = receives(mode) && total.rx.packets == 0;
  const bool has_packets = generates_packets(mode) || !nothing_received;
  if (sends(mode) && has_packets && total.tx.packets == 0) notes.emplace_back("nothing was sent");
  // count_notes() reports requests without replies in a note of its own.
  if (nothing_received && !measures_latency(mode)) {
    notes.push_back(nothing_received_note(plan, ports, total));
  }
  return notes;
}

// Receive queues stay idle if the hash of the device assigns no flow to them. A few packets, or a
// sending queue whose worker did not run, do not show that.
std::vector<std::string> idle_queues(const BenchPlan& plan, const Trial& trial) {
  constexpr std::uint64_t kMinPackets = 100;  // per queue
  if (!receives(plan.mode) || plan.queues < 2) return {};
  if (trial.total.rx.packets < kMinPackets * trial.queues.size()) return {};
  const auto count = [&](Count Sample::* direction) {
    return std::count_if(trial.queues.begin(), trial.queues.end(), [=](const Sample& queue) {
      return (queue.*direction).packets == 0;
    });
  };
  const auto idle = count(&Sample::rx);
  if (idle == 0 || (generates_packets(plan.mode) && count(&Sample::tx) > 0)) return {};
  constexpr unsigned kMoreFlows = 16;
  const auto flows = std::min(kMoreFlows * plan.traffic.flows, max_flows(plan.queues));
  return {
      fmt::format("{} of {} queues received nothing, because the device assigned no flow to "
                  "them: {} more flows, as with {} {}",
                  idle,
                  trial.queues.size(),
                  generates_packets(plan.mode) ? "send" : "let the sender use",
                  name_of(PlanField::flows),
                  flows)};
}

// Each rejected attempt can delay one packet, so the device is the reason only if it rejected as
// many as are missing.
std::string slow_reason(const BenchPlan& plan, const ReportedCount& rejected, double missing) {
  if (!measures_latency(plan.mode)) {
    if (!rejected) return "the device accepted no more packets, or the workers were preempted";
    if (static_cast<double>(*rejected) >= missing)
      return fmt::format("the device rejected {} attempts to send", *rejected);
    return fmt::format(
        "the device rejected {}, so the workers were too slow or preempted",
        *rejected == 0 ? "nothing" : fmt::format("only {} attempts to send", *rejected));
  }
  return fmt::format(
      "at most {} requests of a queue are in flight, so sending waits for replies; or the device "
      "or the workers were too slow",
      plan.burst);
}

}  // namespace

double requested_rate(const BenchPlan& plan,
                      const TrialPlan& trial,
                      const std::vector<PortReport>& ports) {
  if (!trial.rate || !generates_packets(plan.mode)) return 0;
  double rate = 0;
  for (const auto& port : ports) {
    rate += packets_per_second(*trial.rate, plan.traffic, port.link_mbps).value_or(0);
  }
  return rate;
}

std::vector<std::string> traffic_notes(const BenchPlan& plan, bool physical) {
  std::vector<std::string> notes;
  if (measures_latency(plan.mode)) {
    notes.emplace_back("software measures the times, including polling and the rest of a burst");
  }
  if (!physical || !generates_packets(plan.mode)) return notes;
  if (!plan.traffic.peer_ip) {
    notes.push_back(
        fmt::format("packets go to {}, which is in no Azure network: no host receives them unless "
                    "the peer address is set",
                    kDestinationIp.str()));
  }
  const bool has_unknown =
      plan.nics.empty() ||
      std::any_of(plan.nics.begin(), plan.nics.end(), [](const Nic& nic) { return !nic.ip; });
  if (!plan.traffic.source_ip && has_unknown) {
    notes.push_back(
        fmt::format("packets come from {}, which is not the NIC's address: Azure drops them unless "
                    "the source address is set",
                    kSourceIp.str()));
  }
  return notes;
}

std::vector<std::string> count_notes(const BenchPlan& plan,
                                     const std::vector<PortReport>& ports,
                                     const Trial& trial) {
  auto notes = nothing_moved(plan, ports, trial.total);
  for (auto& note : idle_queues(plan, trial)) notes.push_back(std::move(note));
  const auto sent = trial.total.tx.packets;
  if (sent == 0) return notes;
  const auto requested = requested_packets(plan, ports, trial);
  const bool slow = static_cast<double>(sent) < kReached * requested;
  if (measures_latency(plan.mode)) {
    const auto replies = std::min(trial.total.rx.packets, sent);
    if (replies < sent) {
      notes.push_back(
          fmt::format("{} of {} requests had no reply", grouped(sent - replies), grouped(sent)));
    }
  }
  if (slow) {
    notes.push_back(fmt::format(
        "reached {:.3g} % of the requested rate on average: {}",
        100 * static_cast<double>(sent) / requested,
        slow_reason(plan, trial.total.tx.missed, requested - static_cast<double>(sent))));
  }
  return notes;
}

std::string empty_pool_note(const BenchPlan& plan,
                            const std::vector<PortReport>& ports,
                            std::uint64_t bursts) {
  if (uses_ring(ports) && !receives(plan.mode)) {
    return fmt::format(
        "{} bursts were not sent, because net_ring is full and nothing receives its packets: use "
        "{} txrx",
        bursts,
        name_of(PlanField::mode));
  }
  return fmt::format(
      "{} bursts found no free packets: the device holds more packets than it has descriptors",
      bursts);
}

}  // namespace manactl::datapath
