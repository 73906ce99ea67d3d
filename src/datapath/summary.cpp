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

// Without the intervals that began before the warm-up was over, and those before the first packet.
std::span<const Interval> after_warmup(Mode mode,
                                       std::span<const Interval> intervals,
                                       double warmup_seconds) {
  double began = 0;
  while (!intervals.empty() &&
         (began < warmup_seconds || headline(mode, intervals.front().total).packets == 0)) {
    began += intervals.front().total.seconds;
    intervals = intervals.subspan(1);
  }
  return intervals;
}

}  // namespace

Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double warmup_seconds,
                  const Disturbance& disturbance) {
  auto steady = after_warmup(mode, intervals, warmup_seconds);
  if (steady.size() >= kFewest + 2) steady = steady.subspan(1, steady.size() - 2);
  Summary summary;
  for (const auto& interval : steady) {
    const auto seconds = interval.total.seconds;
    if (seconds <= 0) continue;
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
