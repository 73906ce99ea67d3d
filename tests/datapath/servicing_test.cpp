// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <vector>

#include "datapath/analysis/summary.h"

namespace manactl::datapath::servicing_test {
namespace {

// A trial with intervals of half a second, some of which are disturbed or absent, which `disturbed`
// and `absent` list.
Trial trial_of(const std::vector<std::uint64_t>& packets,
               const std::vector<std::size_t>& disturbed,
               const std::vector<Event>& events,
               const std::vector<std::size_t>& absent = {}) {
  Trial trial;
  trial.total.seconds = 0.5 * static_cast<double>(packets.size());
  for (const auto count : packets) {
    Interval interval;
    interval.total.seconds = 0.5;
    interval.total.tx.packets = count;
    trial.intervals.push_back(interval);
  }
  for (const auto index : disturbed) trial.intervals.at(index).disturbed = true;
  for (const auto index : absent) trial.intervals.at(index).absent = true;
  trial.events = events;
  return trial;
}

constexpr auto kRemoved = Event::Kind::removed;
constexpr auto kReturned = Event::Kind::returned;

TEST(Servicing, IsAbsentWithoutEvents) {
  EXPECT_FALSE(servicing_of(Mode::tx, {}));
  EXPECT_FALSE(servicing_of(Mode::tx, trial_of({10, 10}, {}, {})));
}

// The first interval, in which traffic begins, and those with an event have no rate of their own.
TEST(Servicing, HasTheRatesBeforeDuringAndAfter) {
  const auto trial = trial_of({7000, 10000, 11000, 5000, 400, 600, 2000, 9000, 9200},
                              {3, 4, 5, 6},
                              {{1.7, "vf", kRemoved}, {3.2, "vf", kReturned}});
  const auto servicing = servicing_of(Mode::tx, trial);
  ASSERT_TRUE(servicing);
  EXPECT_DOUBLE_EQ(servicing->before.value_or(0), 21000);
  EXPECT_DOUBLE_EQ(servicing->during.value_or(0), 1000);
  EXPECT_DOUBLE_EQ(servicing->after.value_or(0), 18200);
  EXPECT_DOUBLE_EQ(servicing->seconds, 1.5);
}

TEST(Servicing, ExcludesTheWarmUpAndTheRamp) {
  auto trial = trial_of({7000, 10000, 11000, 5000}, {3}, {{1.7, "vf", kRemoved}});
  trial.plan.warmup_seconds = 0.5;
  EXPECT_DOUBLE_EQ(servicing_of(Mode::tx, trial)->before.value_or(0), 22000);
}

TEST(Servicing, HasNoRateDuringTheAbsenceOfAllDevices) {
  const auto trial =
      trial_of({7000, 10000, 5000, 32, 0, 0}, {2, 3, 4, 5}, {{1.1, "vf", kRemoved}}, {3, 4, 5});
  const auto servicing = servicing_of(Mode::tx, trial);
  EXPECT_FALSE(servicing->during);
  EXPECT_FALSE(servicing->after);
  EXPECT_DOUBLE_EQ(servicing->seconds, 1.9) << "until the end of the trial";
}

// Broadcasts arrive on the synthetic path, too.
TEST(Servicing, DoesNotCountStrayPacketsAsTraffic) {
  const auto trial = trial_of({7000, 10000, 5000, 3, 1, 2000, 2, 3},
                              {2, 3, 4, 5},
                              {{1.1, "vf", kRemoved}, {2.7, "vf", kReturned}});
  const auto servicing = servicing_of(Mode::rtt, [&] {
    auto received = trial;
    for (auto& interval : received.intervals) interval.total.rx = interval.total.tx;
    return received;
  }());
  EXPECT_EQ(servicing->during, 0.0);
  EXPECT_EQ(servicing->after, 0.0);
}

TEST(Servicing, CountsTheTimeInWhichAnyDeviceIsAbsent) {
  const auto trial = trial_of({1000, 1000, 500, 900, 500, 1000},
                              {2, 4},
                              {{1.1, "one", kRemoved},
                               {1.2, "two", kRemoved},
                               {1.3, "one", kReturned},
                               {1.4, "two", kReturned},
                               {2.1, "two", kRemoved},
                               {2.2, "two", kReturned}});
  const auto servicing = servicing_of(Mode::tx, trial);
  EXPECT_DOUBLE_EQ(servicing->seconds, 0.4);
  EXPECT_FALSE(servicing->during) << "no interval lies within an absence";
  EXPECT_DOUBLE_EQ(servicing->after.value_or(0), 2000);
}

TEST(Servicing, HasNoRateWithoutAnInterval) {
  const auto from_the_start =
      servicing_of(Mode::tx, trial_of({1000, 2000}, {0, 1}, {{0, "vf", kRemoved}}));
  ASSERT_TRUE(from_the_start);
  EXPECT_FALSE(from_the_start->before);
  EXPECT_DOUBLE_EQ(from_the_start->during.value_or(0), 3000);
  const auto too_late =
      servicing_of(Mode::tx, trial_of({1000}, {}, {{0.6, "vf", kRemoved}, {0.7, "vf", kReturned}}));
  ASSERT_TRUE(too_late);
  EXPECT_DOUBLE_EQ(too_late->before.value_or(0), 2000);
  EXPECT_FALSE(too_late->during || too_late->after);
  EXPECT_NEAR(too_late->seconds, 0.1, 1e-9);
  EXPECT_TRUE(servicing_of(Mode::tx, trial_of({}, {}, {{0.1, "vf", kRemoved}})));
}

TEST(Servicing, CountsTheDirectionOfTheMode) {
  auto trial = trial_of({1000, 1000}, {1}, {{0.6, "vf", kRemoved}});
  trial.intervals[0].total.rx.packets = 700;
  EXPECT_DOUBLE_EQ(servicing_of(Mode::rx, trial)->before.value_or(0), 1400);
}

}  // namespace
}  // namespace manactl::datapath::servicing_test
