// SPDX-License-Identifier: MIT
#include "datapath/measure/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>
#include <utility>

namespace manactl::datapath {

namespace {

using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC
using Seconds = std::chrono::duration<double>;

// Maximum time until a stop request or an event is noticed. A hundred wake-ups per second are
// cheap.
constexpr auto kStep = std::chrono::milliseconds(10);
constexpr double kEventSeconds = 0.01;  // the resolution of Event::at_seconds

Sample difference(const Sample& now, const Sample& before, double seconds) {
  return {seconds, now.tx - before.tx, now.rx - before.rx, now.effort - before.effort};
}

Interval difference(const Interval& now, const Interval& before, double seconds) {
  Interval interval{difference(now.total, before.total, seconds), {}, false};
  for (std::size_t i = 0; i < now.queues.size(); ++i) {
    interval.queues.push_back(difference(now.queues[i], before.queues[i], seconds));
  }
  return interval;
}

Clock::time_point after(Clock::time_point start, double seconds) {
  return start + std::chrono::duration_cast<Clock::duration>(Seconds(seconds));
}

// The end of the interval that begins at `now`. Skips ends that have passed or are less than half
// an interval away, because a very short interval has no meaningful rate.
Clock::time_point next_reading(const TrialPlan& plan,
                               Clock::time_point start,
                               Clock::time_point now) {
  const auto end = after(start, plan.seconds);
  const double min = plan.interval_seconds / 2;
  const double passed = Seconds(now - start).count() + min;
  const auto until =
      after(start, std::ceil(passed / plan.interval_seconds) * plan.interval_seconds);
  return Seconds(end - until).count() < std::min(min, Seconds(kStep).count()) ? end : until;
}

// Takes the events of a trial while it runs.
class EventWatcher {
 public:
  EventWatcher(Workers& workers,
               const Progress& progress,
               Clock::time_point start,
               std::vector<Event>& events)
      : workers_(workers),
        progress_(progress),
        start_(start),
        events_(events),
        is_absent_(workers.all_devices_absent()),
        is_disturbed_(is_absent_) {}

  void take() {
    for (auto& event : workers_.take_events()) {
      const auto steps = std::floor(Seconds(Clock::now() - start_).count() / kEventSeconds);
      event.at_seconds = steps * kEventSeconds;
      absent_ += event.kind == Event::Kind::removed ? 1 : -1;
      is_disturbed_ = true;
      if (progress_.event) progress_.event(event);
      events_.push_back(std::move(event));
    }
    is_absent_ = is_absent_ && workers_.all_devices_absent();
  }

  // Marks an interval that ends now.
  void mark(Interval& interval) {
    const bool lacks_devices = workers_.all_devices_absent();
    interval.absent = std::exchange(is_absent_, lacks_devices);
    interval.disturbed = std::exchange(is_disturbed_, lacks_devices || absent_ > 0);
  }

 private:
  Workers& workers_;
  const Progress& progress_;
  Clock::time_point start_;
  std::vector<Event>& events_;
  int absent_ = 0;  // number of absent devices
  // Since the start of the interval:
  bool is_absent_;     // no queue could be used at any time
  bool is_disturbed_;  // a device was absent at times
};

enum class WakeReason { deadline, stop_request, trial_over };

// Sleeps until `time`, a stop request, or the end of the trial by Progress::is_over().
WakeReason sleep_until(Clock::time_point time,
                       const std::stop_token& stop,
                       const Progress& progress,
                       EventWatcher& watcher) {
  while (!stop.stop_requested()) {
    watcher.take();
    if (progress.is_over && progress.is_over()) return WakeReason::trial_over;
    const auto now = Clock::now();
    if (now >= time) return WakeReason::deadline;
    std::this_thread::sleep_for(std::min<Clock::duration>(time - now, kStep));
  }
  return WakeReason::stop_request;
}

// Stops the workers and waits for them even if an exception is thrown.
struct StopAtEnd {
  Workers& workers;

  explicit StopAtEnd(Workers& one) : workers(one) {}

  StopAtEnd(const StopAtEnd&) = delete;
  StopAtEnd& operator=(const StopAtEnd&) = delete;

  ~StopAtEnd() { workers.stop(); }
};

}  // namespace

Trial measure(const TrialPlan& plan,
              Workers& workers,
              const std::stop_token& stop,
              const Progress& progress) {
  Trial trial;
  trial.plan = plan;
  const StopAtEnd guard(workers);
  if (progress.started) progress.started();
  const auto first = workers.read();
  const auto start = Clock::now();
  workers.go();

  const auto end = after(start, plan.seconds);
  auto last = first;
  auto last_time = start;
  EventWatcher watcher(workers, progress, start, trial.events);
  while (true) {
    const auto until = next_reading(plan, start, last_time);
    const auto reason = sleep_until(until, stop, progress, watcher);
    trial.interrupted = reason == WakeReason::stop_request;
    const auto now = Clock::now();
    auto totals = workers.read();
    auto interval = difference(totals, last, Seconds(now - last_time).count());
    exclude_failed(interval.total.tx);
    for (auto& queue : interval.queues) exclude_failed(queue.tx);
    watcher.mark(interval);
    if (progress.interval) progress.interval(interval);
    trial.intervals.push_back(std::move(interval));
    last = std::move(totals);
    last_time = now;
    if (reason != WakeReason::deadline || until >= end) break;
  }
  // Read the clock when the workers have ended, so that no packet is sent after that time, and
  // before stop(), which waits for late packets.
  workers.end();
  const auto seconds = Seconds(Clock::now() - start).count();
  workers.stop();
  auto trial_total = difference(workers.read(), first, seconds);
  trial.queues = std::move(trial_total.queues);
  trial.total = trial_total.total;
  return trial;
}

}  // namespace manactl::datapath
