// SPDX-License-Identifier: MIT
#include "datapath/analysis/outages.h"

#include <fmt/format.h>

#include <algorithm>

#include "datapath/analysis/summary.h"

namespace manactl::datapath {

namespace {

// At lower rates, an interval without packets does not indicate an outage.
constexpr std::uint64_t kMinPacketsBefore = 100;

// True if a worker did not visit a queue in the whole interval. A worker that runs polls each of
// its queues, even if no packets arrive.
bool is_stalled(const Interval& interval) {
  return interval.total.effort.polls == 0 ||
         std::ranges::any_of(interval.queues,
                             [](const Sample& queue) { return queue.effort.polls == 0; });
}

// Intervals one after the other in which no packets arrived, apart from strays.
struct Silence {
  Sample sum;
  double stalled_seconds = 0;

  void add(const Interval& interval) {
    sum += interval.total;
    sum.seconds += interval.total.seconds;
    if (is_stalled(interval)) stalled_seconds += interval.total.seconds;
  }

  // True if the silence does not show an outage, because workers did not run for most of it.
  bool is_of_worker() const { return 2 * stalled_seconds >= sum.seconds; }

  std::string note(double from) const {
    const auto strays = sum.rx.packets;
    return fmt::format("{} arrived between {:.1f} and {:.1f} s after the start: {}",
                       strays == 0 ? "no packets" : fmt::format("only {} stray packets", strays),
                       from,
                       from + sum.seconds,
                       is_of_worker()
                           ? "the worker did not run, because other programs used its CPU"
                           : "the link was down, or the sender paused");
  }
};

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
  Silence silence;
  for (auto i = end; i < all.size(); ++i) silence.add(all[i]);
  if (silence.is_of_worker()) {
    trial.notes.push_back(silence.note(seconds));
    return;
  }
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
    Silence silence;
    for (; end < all.size() && is_silent(all[end].total); ++end) silence.add(all[end]);
    trial.notes.push_back(silence.note(now));
    if (silence.is_of_worker()) continue;  // the rate includes it, as any other preemption
    for (auto at = i - 1; at < std::min(end + 1, all.size()); ++at) all[at].disturbed = true;
  }
  if (!generates_packets(mode)) note_end(mode, trial);
}

}  // namespace manactl::datapath
