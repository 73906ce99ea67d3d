// SPDX-License-Identifier: MIT
#include "datapath/analysis/outages.h"

#include <fmt/format.h>

#include <algorithm>

namespace manactl::datapath {

namespace {

// At lower rates, an interval without packets does not indicate an outage.
constexpr std::uint64_t kMinPacketsBefore = 100;

bool is_silent(const Interval& interval) {
  return interval.total.rx.packets == 0;
}

}  // namespace

void mark_outages(Mode mode, Trial& trial) {
  if (!receives(mode) || !trial.events.empty()) return;
  auto& all = trial.intervals;
  double now = 0;
  for (std::size_t i = 0; i < all.size(); now += all[i].total.seconds, ++i) {
    if (i == 0 || !is_silent(all[i]) || all[i - 1].total.rx.packets < kMinPacketsBefore) continue;
    auto end = i;
    double seconds = 0;
    for (; end < all.size() && is_silent(all[end]); ++end) seconds += all[end].total.seconds;
    if (end == all.size() && !generates_packets(mode)) {
      trial.notes.push_back(
          fmt::format("no packets arrived after {:.1f} s: the sender "
                      "finished or stopped, or the link was down",
                      now));
      return;
    }
    for (auto at = i - 1; at < std::min(end + 1, all.size()); ++at) all[at].disturbed = true;
    trial.notes.push_back(
        fmt::format("no packets arrived for at least {:.1f} s, from {:.1f} s after the start: the "
                    "link was down, or the sender paused",
                    seconds,
                    now));
  }
}

}  // namespace manactl::datapath
