// SPDX-License-Identifier: MIT
#include "datapath/servicing.h"

#include <algorithm>
#include <span>

namespace manactl::datapath {

namespace {

struct Sum {
  double packets = 0, seconds = 0;

  std::optional<double> rate() const {
    return seconds > 0 ? std::optional(packets / seconds) : std::nullopt;
  }
};

Sum sum_of(Mode mode, std::span<const Interval> intervals) {
  Sum sum;
  for (const auto& interval : intervals) {
    sum.packets += static_cast<double>(headline(mode, interval.total).packets);
    sum.seconds += interval.total.seconds;
  }
  return sum;
}

}  // namespace

std::optional<Servicing> servicing_of(Mode mode, const Trial& trial) {
  if (trial.events.empty()) return std::nullopt;
  const std::span all(trial.intervals);
  const auto disturbed = [](const Interval& interval) { return interval.disturbed; };
  const auto first = std::find_if(all.begin(), all.end(), disturbed);
  const auto last = std::find_if(all.rbegin(), all.rend(), disturbed).base();
  const auto begin = static_cast<std::size_t>(first - all.begin());
  const auto end = static_cast<std::size_t>(last - all.begin());
  // An event after the last interval: nothing was measured of it.
  if (begin > end) return Servicing{sum_of(mode, all).rate(), {}, {}, 0};
  const auto away = sum_of(mode, all.subspan(begin, end - begin));
  return Servicing{sum_of(mode, all.first(begin)).rate(),
                   away.rate(),
                   sum_of(mode, all.subspan(end)).rate(),
                   away.seconds};
}

}  // namespace manactl::datapath
