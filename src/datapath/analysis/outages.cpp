// SPDX-License-Identifier: MIT
#include "datapath/analysis/outages.h"

#include <fmt/format.h>

#include <algorithm>

#include "datapath/analysis/summary.h"

namespace manactl::datapath {

namespace {

// At lower rates, an interval without packets does not indicate an outage.
constexpr std::uint64_t kMinPacketsBefore = 100;

void add(const Sample& interval, Sample& sum) {
  sum += interval;
  sum.seconds += interval.seconds;
}

std::string outage_text(const Sample& silence, double from) {
  const auto strays = silence.rx.packets;
  return fmt::format(
      "{} arrived between {:.1f} and {:.1f} s after the start: the link was down, or the sender "
      "paused",
      strays == 0 ? "no packets" : fmt::format("only {} stray packets", strays),
      from,
      from + silence.seconds);
}

// Adds a note if the traffic of a remote sender ended before the run.
void note_end(Mode mode, Trial& trial) {
  const auto& all = trial.intervals;
  const auto traffic = traffic_in(mode, all);
  if (traffic.empty() || traffic.back().total.rx.packets < kMinPacketsBefore) return;
  auto end = static_cast<std::size_t>(traffic.data() + traffic.size() - all.data());
  // The interval in which the traffic ended.
  if (end < all.size() && all[end].total.rx.packets > 0) ++end;
  if (end == all.size()) return;
  double seconds = 0;
  for (std::size_t i = 0; i < end; ++i) seconds += all[i].total.seconds;
  const auto strays = stray_packets(mode, all);
  trial.notes.push_back(fmt::format(
      "the traffic ended after {:.1f} s: the sender finished or stopped, or the link was down{}",
      seconds,
      strays == 0 ? ""
                  : fmt::format("; the rate excludes {} stray packets outside of it", strays)));
}

}  // namespace

void mark_outages(Mode mode, Trial& trial) {
  if (!receives(mode) || !trial.events.empty()) return;
  auto& all = trial.intervals;
  const auto traffic = traffic_in(mode, all);
  const auto traffic_end = static_cast<std::size_t>(traffic.data() + traffic.size() - all.data());
  const double stray_rate = max_stray_rate(mode, all);
  const auto is_silent = [&](const Sample& total) {
    return static_cast<double>(total.rx.packets) <= stray_rate * total.seconds;
  };
  double now = 0;
  for (std::size_t i = 0; i < traffic_end; now += all[i].total.seconds, ++i) {
    if (i == 0 || !is_silent(all[i].total) || all[i - 1].total.rx.packets < kMinPacketsBefore)
      continue;
    auto end = i;
    Sample silence;
    for (; end < all.size() && is_silent(all[end].total); ++end) add(all[end].total, silence);
    for (auto at = i - 1; at < std::min(end + 1, all.size()); ++at) all[at].disturbed = true;
    trial.notes.push_back(outage_text(silence, now));
  }
  if (!generates_packets(mode)) note_end(mode, trial);
}

}  // namespace manactl::datapath
