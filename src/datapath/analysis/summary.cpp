// SPDX-License-Identifier: MIT
#include "datapath/analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
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

double peak_rate(Mode mode, std::span<const Interval> intervals) {
  double peak = 0;
  for (const auto& interval : intervals) peak = std::max(peak, rate_in(mode, interval));
  return peak;
}

// Removes the intervals before steady_after.
std::span<const Interval> after_warmup(std::span<const Interval> intervals, double steady_after) {
  double began = 0;
  while (!intervals.empty() && began < steady_after) {
    began += intervals.front().total.seconds;
    intervals = intervals.subspan(1);
  }
  return intervals;
}

// The intervals of `all` whose rate describes its traffic: without the first one, in which traffic
// begins, and the last one, which may be partial, as long as one remains. If traffic begins or ends
// within the run, an interval that has only a part of it is never steady.
std::span<const Interval> steady_part(Mode mode, std::span<const Interval> all) {
  const auto traffic = traffic_in(mode, all);
  if (traffic.size() > 2) return traffic.subspan(1, traffic.size() - 2);
  if (traffic.empty()) return traffic;
  const bool begins_later = traffic.data() != all.data();
  const bool ends_earlier = &traffic.back() != &all.back();
  // The traffic may also begin within the first interval of the run.
  if (ends_earlier) return {};
  if (begins_later) return traffic.subspan(1);
  if (traffic.size() == 1) return traffic;
  const bool is_fragment = traffic[1].total.seconds < traffic[0].total.seconds / 2;
  return traffic.subspan(is_fragment ? 0 : 1, 1);
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

// The time from a removal to the return, or to the end of the trial.
struct Absence {
  double from = 0, to = 0;
};

// Returns the times in which at least one device was absent.
std::vector<Absence> absences_in(const Trial& trial) {
  std::vector<Absence> found;
  int absent = 0;  // number of absent devices
  for (const auto& event : trial.events) {
    const bool is_removal = event.kind == Event::Kind::removed;
    if (is_removal && absent++ == 0) {
      found.push_back({event.at_seconds, std::max(event.at_seconds, trial.total.seconds)});
    }
    if (!is_removal && absent > 0 && --absent == 0) found.back().to = event.at_seconds;
  }
  return found;
}

// Returns the intervals that lie within the absence.
std::span<const Interval> intervals_in(const Absence& absence, std::span<const Interval> all) {
  double now = 0;
  std::size_t begin = 0;
  while (begin < all.size() && now < absence.from) now += all[begin++].total.seconds;
  std::size_t end = begin;
  while (end < all.size() && now + all[end].total.seconds <= absence.to) {
    now += all[end++].total.seconds;
  }
  return all.subspan(begin, end - begin);
}

// Computes the mean rate of intervals.
class MeanRate {
 public:
  MeanRate(Mode mode, double max_stray_rate) : mode_(mode), max_stray_rate_(max_stray_rate) {}

  MeanRate& add(std::span<const Interval> intervals) {
    for (const auto& interval : intervals) {
      if (interval.absent) continue;
      seconds_ += interval.total.seconds;
      if (rate_in(mode_, interval) <= max_stray_rate_) continue;
      packets_ += static_cast<double>(headline(mode_, interval.total).packets);
    }
    return *this;
  }

  std::optional<double> get() const {
    return seconds_ > 0 ? std::optional(packets_ / seconds_) : std::nullopt;
  }

 private:
  Mode mode_;
  double max_stray_rate_, packets_ = 0, seconds_ = 0;
};

}  // namespace

std::span<const Interval> traffic_in(Mode mode, std::span<const Interval> intervals) {
  const bool is_endless = generates_packets(mode);
  const double peak = peak_rate(mode, intervals);
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

double max_stray_rate(Mode mode, std::span<const Interval> intervals) {
  return std::min(kMaxStrayRate, peak_rate(mode, intervals) * kTrafficShare);
}

std::uint64_t stray_packets(Mode mode, std::span<const Interval> intervals) {
  const auto traffic = traffic_in(mode, intervals);
  if (generates_packets(mode) || traffic.empty()) return 0;
  const double stray_rate = max_stray_rate(mode, intervals);
  const auto has_traffic = [&](std::size_t i) {
    if (i >= intervals.size()) return false;
    const auto* interval = &intervals[i];
    const bool is_inside = interval >= traffic.data() && interval < traffic.data() + traffic.size();
    return is_inside && rate_in(mode, *interval) > stray_rate;
  };
  std::uint64_t packets = 0;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    const bool is_adjacent = has_traffic(i) || has_traffic(i + 1) || (i > 0 && has_traffic(i - 1));
    if (!is_adjacent) packets += headline(mode, intervals[i].total).packets;
  }
  return packets;
}

bool is_disturbed(const Disturbance& disturbance) {
  return disturbance.stolen > kStolen || disturbance.waited > kWaited;
}

std::vector<const Interval*> steady_intervals(Mode mode,
                                              std::span<const Interval> intervals,
                                              double steady_after) {
  std::vector<const Interval*> steady;
  for (const auto& interval : steady_part(mode, after_warmup(intervals, steady_after))) {
    if (interval.total.seconds > 0 && !interval.disturbed) steady.push_back(&interval);
  }
  return steady;
}

Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double steady_after,
                  const Disturbance& disturbance) {
  Summary summary;
  for (const auto* interval : steady_intervals(mode, intervals, steady_after)) {
    summary.rates.push_back(rate_in(mode, *interval));
  }
  summary.left_out = intervals.size() - summary.rates.size();
  summary.rate = estimate(summary.rates);
  if (const auto variation = summary.rate.variation.value_or(0); variation > kNoisy) {
    summary.reasons.push_back(
        fmt::format("the rate varies by {:.1f} % between intervals", variation * kPercent));
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
  const auto first = std::ranges::find_if(all, &Interval::disturbed);
  const auto last =
      std::find_if(all.rbegin(), all.rend(), std::mem_fn(&Interval::disturbed)).base();
  auto before = traffic_in(mode, after_warmup({all.begin(), first}, trial.plan.steady_after()));
  if (before.size() > 1) before = before.subspan(1);  // traffic begins in the first interval

  Servicing servicing;
  const double stray_rate = max_stray_rate(mode, all);
  MeanRate during(mode, stray_rate);
  for (const auto& absence : absences_in(trial)) {
    servicing.seconds += absence.to - absence.from;
    during.add(intervals_in(absence, all));
  }
  servicing.before = MeanRate(mode, stray_rate).add(before).get();
  servicing.during = during.get();
  // If no interval is disturbed, the event happened after the last interval.
  servicing.after = MeanRate(mode, stray_rate).add({std::max(first, last), all.end()}).get();
  return servicing;
}

}  // namespace manactl::datapath
