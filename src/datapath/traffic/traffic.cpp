// SPDX-License-Identifier: MIT
#include "datapath/traffic/traffic.h"

#include <algorithm>
#include <numeric>

#include "datapath/plan/fields.h"

namespace manactl::datapath {

namespace {

constexpr unsigned kLowestPort = 1024;
constexpr unsigned kDynamicPorts = 65536 - kFirstSourcePort;
constexpr unsigned kPorts = 65536 - kLowestPort;
constexpr double kGapBytes = 20;  // preamble and interframe gap, which a link speed includes
constexpr double kBitsPerByte = 8;

// Returns the distance between the source ports of two queues. The flows of all queues then hash to
// all receive queues: with adjacent ports, 8 flows reach only 4 of 8 queues. This holds for the key
// of NDIS, which engine verbs and net_netvsc use, and for the default key of net_mana. It also
// holds for packets that return with exchanged addresses and ports, except for 64 queues.
unsigned port_step(unsigned queues) {
  struct Step {
    unsigned queues, step;
  };

  constexpr Step kSteps[] = {{2, 13}, {4, 81}, {8, 72}, {16, 1}, {32, 33}, {64, 65}};
  for (const auto& row : kSteps) {
    if (row.queues == queues) return row.step;
  }
  return 1;  // no hash is known for the virtual devices that have other numbers of queues
}

}  // namespace

std::vector<std::uint8_t> size_pattern(const std::vector<SizeShare>& sizes) {
  unsigned divisor = 0;
  for (const auto& size : sizes) divisor = std::gcd(divisor, size.share);
  unsigned round = 0;
  for (const auto& size : sizes) round += size.share / divisor;
  std::vector<unsigned> given(sizes.size());
  std::vector<std::uint8_t> pattern;
  for (unsigned i = 0; i < round; ++i) {
    // Choose the size that lags most behind its share.
    std::size_t next = 0;
    std::int64_t max_lag = INT64_MIN;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto lag = std::int64_t{sizes[k].share / divisor} * (i + 1) -
                       std::int64_t{given[k]} * std::int64_t{round};
      if (lag <= max_lag) continue;
      max_lag = lag;
      next = k;
    }
    ++given[next];
    pattern.push_back(static_cast<std::uint8_t>(next));
  }
  return pattern;
}

unsigned max_flows(unsigned queues) {
  return kPorts / queues;
}

PortRange source_ports(unsigned queue, unsigned queues, unsigned flows) {
  const auto step = std::max(port_step(queues), flows);
  const bool are_enough = (queues - 1) * step + flows <= kDynamicPorts;
  const auto first = (are_enough ? unsigned{kFirstSourcePort} : kLowestPort) + queue * step;
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(first + flows - 1)};
}

Flow flow_of(const BenchPlan& plan,
             const MacAddress& mac,
             const std::optional<Ipv4Address>& ip,
             unsigned queue) {
  const auto& traffic = plan.traffic;
  Flow flow;
  flow.source = mac;
  flow.destination = traffic.destination;
  flow.source_ip = traffic.source_ip.value_or(ip.value_or(flow.source_ip));
  flow.destination_ip = traffic.peer_ip.value_or(flow.destination_ip);
  flow.source_port = source_ports(queue, plan.queues, traffic.flows).first;
  return flow;
}

Result<double> packets_per_second(const Rate& rate,
                                  const Traffic& traffic,
                                  std::uint64_t link_mbps) {
  const auto bytes = traffic.mean_bytes();
  switch (rate.unit) {
    case Rate::Unit::packets:
      return rate.value;
    case Rate::Unit::bits:
      return rate.value / (bytes * kBitsPerByte);
    case Rate::Unit::percent:
      break;
  }
  if (link_mbps == 0) {
    return fail(Errc::invalid,
                fmt::format("{} {}%: the link speed is unknown; give packets or bits per second",
                            name_of(PlanField::rate),
                            rate.value));
  }
  return rate.value / 100 * static_cast<double>(link_mbps) * 1e6 /
         ((bytes + kGapBytes) * kBitsPerByte);
}

Result<Pace> pace_of(const BenchPlan& plan,
                     const TrialPlan& trial,
                     const PortReport& port,
                     double ticks_per_second) {
  if (!trial.rate) return Pace();
  const auto rate = packets_per_second(*trial.rate, plan.traffic, port.link_mbps);
  if (!rate) return because(rate.error(), port.device);
  const auto mine = *rate / plan.queues;
  // A worker may catch up after a millisecond of preemption. Catching up after longer preemption
  // would exceed the requested rate.
  const auto depth = std::max(2.0 * plan.burst, mine / 1000);
  return Pace(mine / ticks_per_second, trial.ramp_seconds * ticks_per_second, depth);
}

}  // namespace manactl::datapath
