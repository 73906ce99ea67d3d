// SPDX-License-Identifier: MIT
#include "datapath/summary.h"

#include <fmt/format.h>

#include <span>

namespace manactl::datapath {

namespace {

constexpr std::size_t kFewest = 3;  // intervals that stay when both ends are cut
constexpr double kStolen = 0.01;    // a hundredth of the CPUs is more than steal's own rounding
constexpr double kWaited = 0.01;    // kernel threads take less of a CPU that is otherwise free
constexpr double kPercent = 100;

// Without the intervals that began too early, and those before the first packet. Who sends nothing
// by itself has to outlive its sender: what is behind the last packet says nothing either.
std::span<const Interval> with_traffic(Mode mode,
                                       std::span<const Interval> intervals,
                                       double steady_after) {
  const auto is_silent = [mode](const Interval& interval) {
    return headline(mode, interval.total).packets == 0;
  };
  double began = 0;
  while (!intervals.empty() && (began < steady_after || is_silent(intervals.front()))) {
    began += intervals.front().total.seconds;
    intervals = intervals.subspan(1);
  }
  const bool waits = mode == Mode::rx || mode == Mode::fwd;
  while (waits && !intervals.empty() && is_silent(intervals.back())) {
    intervals = intervals.first(intervals.size() - 1);
  }
  return intervals;
}

}  // namespace

Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double steady_after,
                  const Disturbance& disturbance) {
  auto steady = with_traffic(mode, intervals, steady_after);
  if (steady.size() >= kFewest + 2) steady = steady.subspan(1, steady.size() - 2);
  Summary summary;
  for (const auto& interval : steady) {
    const auto seconds = interval.total.seconds;
    if (seconds <= 0 || interval.disturbed) continue;
    const auto packets = headline(mode, interval.total).packets;
    summary.rates.push_back(static_cast<double>(packets) / seconds);
  }
  summary.left_out = intervals.size() - summary.rates.size();
  summary.rate = estimate(summary.rates);
  if (summary.rate.variation > kNoisy) {
    summary.why.push_back(fmt::format("the rate varies by {:.1f} % from interval to interval",
                                      summary.rate.variation * kPercent));
  }
  if (disturbance.stolen > kStolen) {
    summary.why.push_back(fmt::format("the hypervisor gave {:.1f} % of the CPUs' time to others",
                                      disturbance.stolen * kPercent));
  }
  if (disturbance.waited > kWaited) {
    summary.why.push_back(fmt::format("other threads had the workers' CPUs {:.1f} % of the time",
                                      disturbance.waited * kPercent));
  }
  return summary;
}

}  // namespace manactl::datapath
