// SPDX-License-Identifier: MIT
#include "datapath/analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <span>

namespace manactl::datapath {

namespace {

constexpr double kStolen = 0.01;  // limit of `stolen`; exceeds /proc/stat's rounding error
constexpr double kWaited = 0.01;  // limit of `waited`; exceeds what kernel threads use
constexpr double kPercent = 100;

// Share of the peak rate at which the traffic of a remote sender begins and ends.
constexpr double kTrafficShare = 0.05;

double rate_in(Mode mode, const Interval& interval) {
  const auto packets = static_cast<double>(headline(mode, interval.total).packets);
  return interval.total.seconds > 0 ? packets / interval.total.seconds : 0;
}

// Removes the intervals before steady_after and those outside of the traffic.
std::span<const Interval> with_traffic(Mode mode,
                                       std::span<const Interval> intervals,
                                       double steady_after) {
  double began = 0;
  while (!intervals.empty() && began < steady_after) {
    began += intervals.front().total.seconds;
    intervals = intervals.subspan(1);
  }
  return traffic_in(mode, intervals);
}

// Removes the first interval, in which traffic begins, and the last one, which may be partial, as
// long as one remains.
std::span<const Interval> without_ends(std::span<const Interval> intervals) {
  if (intervals.size() < 2) return intervals;
  if (intervals.size() > 2) return intervals.subspan(1, intervals.size() - 2);
  const bool is_fragment = intervals[1].total.seconds < intervals[0].total.seconds / 2;
  return intervals.subspan(is_fragment ? 0 : 1, 1);
}

std::vector<double> lisa_rates(const Trial& trial, Count Sample::* direction) {
  std::vector<double> rates;
  for (const auto& interval : trial.intervals) {
    const auto packets = (interval.total.*direction).packets;
    if (interval.total.seconds <= 0 || (rates.empty() && packets == 0)) continue;
    rates.push_back(static_cast<double>(packets) / interval.total.seconds);
  }
  if (rates.size() < 3) return {};
  return {rates.begin() + 1, rates.end() - 1};
}

struct PacketTime {
  double packets = 0, seconds = 0;

  std::optional<double> rate() const {
    return seconds > 0 ? std::optional(packets / seconds) : std::nullopt;
  }
};

PacketTime sum_of(Mode mode, std::span<const Interval> intervals) {
  PacketTime sum;
  for (const auto& interval : intervals) {
    sum.packets += static_cast<double>(headline(mode, interval.total).packets);
    sum.seconds += interval.total.seconds;
  }
  return sum;
}

}  // namespace

std::span<const Interval> traffic_in(Mode mode, std::span<const Interval> intervals) {
  double peak = 0;
  for (const auto& interval : intervals) peak = std::max(peak, rate_in(mode, interval));
  const bool is_endless = generates_packets(mode);
  const auto is_outside = [&](const Interval& interval) {
    if (is_endless) return headline(mode, interval.total).packets == 0;
    return peak == 0 || rate_in(mode, interval) < peak * kTrafficShare;
  };
  while (!intervals.empty() && is_outside(intervals.front())) intervals = intervals.subspan(1);
  while (!is_endless && !intervals.empty() && is_outside(intervals.back())) {
    intervals = intervals.first(intervals.size() - 1);
  }
  return intervals;
}

std::uint64_t stray_packets(Mode mode, std::span<const Interval> intervals) {
  const auto traffic = traffic_in(mode, intervals);
  if (generates_packets(mode) || traffic.empty()) return 0;
  const auto* begin = traffic.data();
  const auto* end = begin + traffic.size();
  std::uint64_t packets = 0;
  for (const auto& interval : intervals) {
    const bool is_adjacent = &interval + 1 >= begin && &interval <= end;
    if (!is_adjacent) packets += headline(mode, interval.total).packets;
  }
  return packets;
}

bool is_disturbed(const Disturbance& disturbance) {
  return disturbance.stolen > kStolen || disturbance.waited > kWaited;
}

Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double steady_after,
                  const Disturbance& disturbance) {
  Summary summary;
  for (const auto& interval : without_ends(with_traffic(mode, intervals, steady_after))) {
    const auto seconds = interval.total.seconds;
    if (seconds <= 0 || interval.disturbed) continue;
    const auto packets = headline(mode, interval.total).packets;
    summary.rates.push_back(static_cast<double>(packets) / seconds);
  }
  summary.left_out = intervals.size() - summary.rates.size();
  summary.rate = estimate(summary.rates);
  if (summary.rate.variation > kNoisy) {
    summary.reasons.push_back(fmt::format("the rate varies by {:.1f} % between intervals",
                                          summary.rate.variation * kPercent));
  }
  if (disturbance.stolen > kStolen) {
    summary.reasons.push_back(fmt::format("the hypervisor gave {:.1f} % of the CPU time to others",
                                          disturbance.stolen * kPercent));
  }
  if (disturbance.waited > kWaited) {
    summary.reasons.push_back(
        fmt::format("workers were preempted {:.1f} % of the time", disturbance.waited * kPercent));
  }
  return summary;
}

std::optional<LisaRate> lisa_rate(const std::vector<Trial>& trials, Count Sample::* direction) {
  std::vector<double> all;
  for (const auto& trial : trials) {
    const auto rates = lisa_rates(trial, direction);
    all.insert(all.end(), rates.begin(), rates.end());
  }
  if (all.empty()) return std::nullopt;
  const auto [min, max] = std::minmax_element(all.begin(), all.end());
  const auto sum = std::accumulate(all.begin(), all.end(), 0.0);
  return LisaRate{*max, sum / static_cast<double>(all.size()), *min};
}

std::optional<Servicing> servicing_of(Mode mode, const Trial& trial) {
  if (trial.events.empty()) return std::nullopt;
  const std::span all(trial.intervals);
  const auto disturbed = [](const Interval& interval) { return interval.disturbed; };
  const auto first = std::find_if(all.begin(), all.end(), disturbed);
  const auto last = std::find_if(all.rbegin(), all.rend(), disturbed).base();
  const auto begin = static_cast<std::size_t>(first - all.begin());
  const auto end = static_cast<std::size_t>(last - all.begin());
  // If no interval is disturbed, the event happened after the last interval.
  if (begin > end) return Servicing{sum_of(mode, all).rate(), {}, {}, 0};
  const auto away = sum_of(mode, all.subspan(begin, end - begin));
  return Servicing{sum_of(mode, all.first(begin)).rate(),
                   away.rate(),
                   sum_of(mode, all.subspan(end)).rate(),
                   away.seconds};
}

}  // namespace manactl::datapath
