// SPDX-License-Identifier: MIT

#include "datapath/measure/measure.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace manactl::datapath::measure_test {
namespace {

// Two lanes: with each reading, the first has sent 10 more packets and the second 1 more.
class SteadyWorkers final : public Workers {
 public:
  void go() override { running_ = true; }

  void end() override { std::this_thread::sleep_for(time_to_end); }

  void stop() override {
    if (running_) late_ = 100;
    running_ = false;
    ++stops;
  }

  Interval read() const override {
    if (running_) ++readings;
    Interval now;
    now.queues.resize(2);
    now.queues[0].tx.packets = 1000 + 10 * readings + late_;
    now.queues[1].tx.packets = 2000 + readings;
    for (const auto& queue : now.queues) now.total += queue;
    now.total.tx.errors = 5;
    return now;
  }

  // The device is absent in the second to fourth interval, but at first only for a part of it.
  std::vector<Event> take_events() override {
    if (!is_absent && readings == 1) {
      is_absent = true;
      return {{0, "net_null0", Event::Kind::removed}};
    }
    if (is_absent && readings == 3) {
      is_absent = false;
      return {{0, "net_null0", Event::Kind::returned}};
    }
    return {};
  }

  bool all_devices_absent() const override { return is_absent; }

  mutable std::uint64_t readings = 0;
  int stops = 0;
  bool is_absent = false;
  std::chrono::milliseconds time_to_end{0};

 private:
  bool running_ = false;
  std::uint64_t late_ = 0;
};

TrialPlan plan_of(double seconds, double interval) {
  TrialPlan plan;
  plan.seconds = seconds;
  plan.interval_seconds = interval;
  return plan;
}

TEST(Measure, ReportsTheDifferenceBetweenReadings) {
  SteadyWorkers workers;
  const auto trial = measure(plan_of(0.06, 0.02), workers, {}, {});
  ASSERT_FALSE(trial.intervals.empty());
  EXPECT_LE(trial.intervals.size(), 3U);  // fewer if a reading was late
  for (const auto& interval : trial.intervals) {
    EXPECT_EQ(interval.total.tx.packets, 11U);
    ASSERT_EQ(interval.queues.size(), 2U);
    EXPECT_EQ(interval.queues[0].tx.packets, 10U);
    EXPECT_EQ(interval.queues[1].tx.packets, 1U);
    EXPECT_EQ(interval.total.tx.errors, 0U);  // all errors occurred before the trial
    EXPECT_GT(interval.total.seconds, 0);
  }
  EXPECT_FALSE(trial.interrupted);
  EXPECT_EQ(trial.plan.seconds, 0.06);
}

// This thread may be preempted before the workers end, and they send meanwhile.
TEST(Measure, CountsTheTimeUntilTheWorkersEnd) {
  SteadyWorkers workers;
  workers.time_to_end = std::chrono::milliseconds(30);
  EXPECT_GE(measure(plan_of(0.02, 0.02), workers, {}, {}).total.seconds, 0.05);
}

// Packets that arrive while the workers stop belong to the trial, but to no interval.
TEST(Measure, ReadsTheTotalAfterTheWorkersStopped) {
  SteadyWorkers workers;
  const auto trial = measure(plan_of(0.02, 0.02), workers, {}, {});
  EXPECT_EQ(trial.queues.at(0).tx.packets, 110U);
  EXPECT_EQ(trial.total.tx.packets, 111U);
  EXPECT_GE(trial.total.seconds, 0.02);
  EXPECT_GE(workers.stops, 1);
}

class IntervalLengths : public testing::TestWithParam<std::pair<double, double>> {};

TEST_P(IntervalLengths, AreAtLeastHalfAnInterval) {
  SteadyWorkers workers;
  const auto [seconds, interval] = GetParam();
  const auto trial = measure(plan_of(seconds, interval), workers, {}, {});
  double sum = 0;
  for (std::size_t i = 0; i < trial.intervals.size(); ++i) {
    const double length = trial.intervals[i].total.seconds;
    // The last interval ends on time even if the reading before it was late.
    if (i + 1 < trial.intervals.size()) {
      EXPECT_GE(length, interval / 2);
    }
    sum += length;
  }
  EXPECT_LE(trial.intervals.size(), static_cast<std::size_t>(seconds / interval + 1.5));
  EXPECT_GE(sum, seconds);
}

INSTANTIATE_TEST_SUITE_P(Seconds,
                         IntervalLengths,
                         testing::Values(std::pair{0.16, 0.02},  // a whole number of intervals
                                         std::pair{0.05, 0.02},
                                         std::pair{0.03, 1.0},
                                         std::pair{0.041, 0.02}));

TEST(Measure, MarksIntervalsInWhichADeviceIsAbsent) {
  SteadyWorkers workers;
  const auto trial = measure(plan_of(0.4, 0.05), workers, {}, {});
  ASSERT_GE(trial.intervals.size(), 5U);
  ASSERT_EQ(trial.events.size(), 2U);
  EXPECT_EQ(trial.events[0].device, "net_null0");
  const auto flags_of = [&](bool Interval::* flag) {
    std::vector<bool> flags;
    for (std::size_t i = 0; i < 5; ++i) flags.push_back(trial.intervals[i].*flag);
    return flags;
  };
  EXPECT_EQ(flags_of(&Interval::disturbed), (std::vector{false, true, true, true, false}));
  EXPECT_EQ(flags_of(&Interval::absent), (std::vector{false, false, true, false, false}));
}

// A device may be absent since an earlier trial, which then has the event.
TEST(Measure, MarksIntervalsOfADeviceThatIsAbsentFromTheStart) {
  SteadyWorkers workers;
  workers.is_absent = true;
  const auto trial = measure(plan_of(0.02, 0.02), workers, {}, {});
  EXPECT_TRUE(trial.intervals.front().disturbed);
  EXPECT_TRUE(trial.intervals.front().absent);
}

// The time of an event is not that of the end of its interval.
TEST(Measure, TimesAnEventWhenItHappens) {
  SteadyWorkers workers;
  workers.readings = 1;
  Progress progress;
  std::vector<std::string> order;
  progress.interval = [&](const Interval&) { order.emplace_back("interval"); };
  progress.event = [&](const Event&) { order.emplace_back("event"); };
  // The trial ends some steps after the event.
  int steps = 0;
  progress.is_over = [&] { return !order.empty() && ++steps == 5; };
  const auto trial = measure(plan_of(3600, 1800), workers, {}, progress);
  EXPECT_EQ(order, (std::vector<std::string>{"event", "interval"}));
  ASSERT_EQ(trial.events.size(), 1U);
  EXPECT_LT(trial.events[0].at_seconds, trial.intervals.front().total.seconds);
}

TEST(Measure, ReportsProgressInOrder) {
  SteadyWorkers workers;
  std::vector<std::string> events;
  Progress progress;
  progress.started = [&] { events.emplace_back("started"); };
  progress.interval = [&](const Interval&) { events.emplace_back("interval"); };
  const auto trial = measure(plan_of(0.04, 0.02), workers, {}, progress);
  std::vector<std::string> expected(trial.intervals.size() + 1, "interval");
  expected.front() = "started";
  EXPECT_EQ(events, expected);
}

TEST(Measure, IsCompleteWhenTheCallerEndsIt) {
  SteadyWorkers workers;
  int calls = 0;
  Progress progress;
  progress.is_over = [&] { return ++calls == 3; };
  const auto trial = measure(plan_of(3600, 1800), workers, {}, progress);
  EXPECT_FALSE(trial.interrupted);
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(trial.intervals.size(), 1U);
}

TEST(Measure, StopsOnRequest) {
  SteadyWorkers workers;
  std::stop_source stop;
  Progress progress;
  progress.interval = [&](const Interval&) { stop.request_stop(); };
  const auto trial = measure(plan_of(3600, 0.02), workers, stop.get_token(), progress);
  EXPECT_TRUE(trial.interrupted);
  EXPECT_EQ(trial.intervals.size(), 2U);
}

TEST(Measure, StopsTheWorkersAfterAnException) {
  SteadyWorkers workers;
  Progress progress;
  progress.interval = [](const Interval&) { throw 1; };
  EXPECT_THROW(measure(plan_of(1, 0.01), workers, {}, progress), int);
  EXPECT_EQ(workers.stops, 1);
}

}  // namespace
}  // namespace manactl::datapath::measure_test
