// SPDX-License-Identifier: MIT
#include "datapath/traffic.h"

#include <algorithm>
#include <numeric>

namespace manactl::datapath {

namespace {

constexpr unsigned kLowestPort = 1024;
constexpr unsigned kDynamicPorts = 65536 - kFirstSourcePort;
constexpr unsigned kPorts = 65536 - kLowestPort;
constexpr double kGapBytes = 20;  // preamble and the gap between frames: a link's speed has them
constexpr double kBitsPerByte = 8;

}  // namespace

std::vector<std::uint8_t> size_pattern(const std::vector<SizeShare>& sizes) {
  unsigned divisor = 0;
  for (const auto& size : sizes) divisor = std::gcd(divisor, size.share);
  unsigned round = 0;
  for (const auto& size : sizes) round += size.share / divisor;
  std::vector<unsigned> given(sizes.size());
  std::vector<std::uint8_t> pattern;
  for (unsigned i = 0; i < round; ++i) {
    // The one that lags behind its share most.
    std::size_t next = 0;
    std::int64_t most = INT64_MIN;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const auto lag = std::int64_t{sizes[k].share / divisor} * (i + 1) -
                       std::int64_t{given[k]} * std::int64_t{round};
      if (lag <= most) continue;
      most = lag;
      next = k;
    }
    ++given[next];
    pattern.push_back(static_cast<std::uint8_t>(next));
  }
  return pattern;
}

unsigned most_flows(unsigned queues) {
  return kPorts / queues;
}

PortRange source_ports(unsigned queue, unsigned queues, unsigned flows) {
  const auto base = queues * flows <= kDynamicPorts ? unsigned{kFirstSourcePort} : kLowestPort;
  const auto first = base + queue * flows;
  return {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(first + flows - 1)};
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
                fmt::format("--rate {}%: the speed of the link is not known; give packets or bits "
                            "per second",
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
  // A millisecond that a worker could not run is made up for, not more: a burst of what was
  // missed in a longer one would be a load that nobody asked for.
  const auto depth = std::max(2.0 * plan.burst, mine / 1000);
  return Pace(mine / ticks_per_second, trial.ramp_seconds * ticks_per_second, depth);
}

}  // namespace manactl::datapath
