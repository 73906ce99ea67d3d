// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <vector>

#include "datapath/analysis/summary.h"

namespace manactl::datapath::servicing_test {
namespace {

// A trial with intervals of half a second, some of which are disturbed; `disturbed` lists their
// indexes.
Trial trial_of(const std::vector<std::uint64_t>& packets,
               const std::vector<std::size_t>& disturbed,
               const std::vector<Event>& events) {
  Trial trial;
  for (const auto count : packets) {
    Interval interval;
    interval.total.seconds = 0.5;
    interval.total.tx.packets = count;
    trial.intervals.push_back(interval);
  }
  for (const auto index : disturbed) trial.intervals.at(index).disturbed = true;
  trial.events = events;
  return trial;
}

constexpr auto kRemoved = Event::Kind::removed;
constexpr auto kReturned = Event::Kind::returned;

TEST(Servicing, IsAbsentWithoutEvents) {
  EXPECT_FALSE(servicing_of(Mode::tx, {}));
  EXPECT_FALSE(servicing_of(Mode::tx, trial_of({10, 10}, {}, {})));
}

TEST(Servicing, HasTheRatesBeforeDuringAndAfter) {
  const auto trial = trial_of(
      {100, 110, 50, 0, 20, 90, 92}, {2, 3, 4}, {{1.2, "vf", kRemoved}, {2.4, "vf", kReturned}});
  const auto servicing = servicing_of(Mode::tx, trial);
  ASSERT_TRUE(servicing);
  EXPECT_DOUBLE_EQ(servicing->before.value_or(0), 210);
  EXPECT_DOUBLE_EQ(servicing->during.value_or(0), 70 / 1.5);
  EXPECT_DOUBLE_EQ(servicing->after.value_or(0), 182);
  EXPECT_DOUBLE_EQ(servicing->seconds, 1.5);
}

TEST(Servicing, LastsUntilTheEndIfNoDeviceReturns) {
  const auto trial = trial_of({100, 100, 50, 0, 0}, {2, 3, 4}, {{1.2, "vf", kRemoved}});
  const auto servicing = servicing_of(Mode::tx, trial);
  ASSERT_TRUE(servicing);
  EXPECT_DOUBLE_EQ(servicing->before.value_or(0), 200);
  EXPECT_DOUBLE_EQ(servicing->during.value_or(0), 50 / 1.5);
  EXPECT_FALSE(servicing->after);
}

TEST(Servicing, LastsFromTheFirstAbsenceToTheLast) {
  const auto trial = trial_of({100, 50, 90, 50, 100},
                              {1, 3},
                              {{0.6, "one", kRemoved},
                               {0.7, "one", kReturned},
                               {1.6, "two", kRemoved},
                               {1.7, "two", kReturned}});
  const auto servicing = servicing_of(Mode::tx, trial);
  EXPECT_DOUBLE_EQ(servicing->seconds, 1.5);
  EXPECT_DOUBLE_EQ(servicing->during.value_or(0), 190 / 1.5);
  EXPECT_DOUBLE_EQ(servicing->after.value_or(0), 200);
}

TEST(Servicing, HasNoRateWithoutAnInterval) {
  const auto from_the_start =
      servicing_of(Mode::tx, trial_of({10, 20}, {0, 1}, {{0.1, "vf", kRemoved}}));
  ASSERT_TRUE(from_the_start);
  EXPECT_FALSE(from_the_start->before);
  EXPECT_DOUBLE_EQ(from_the_start->during.value_or(0), 30);
  const auto too_late =
      servicing_of(Mode::tx, trial_of({10}, {}, {{0.6, "vf", kRemoved}, {0.7, "vf", kReturned}}));
  ASSERT_TRUE(too_late);
  EXPECT_DOUBLE_EQ(too_late->before.value_or(0), 20);
  EXPECT_FALSE(too_late->during || too_late->after);
  EXPECT_EQ(too_late->seconds, 0);
  EXPECT_TRUE(servicing_of(Mode::tx, trial_of({}, {}, {{0.1, "vf", kRemoved}})));
}

TEST(Servicing, CountsTheDirectionOfTheMode) {
  auto trial = trial_of({100, 100}, {1}, {{0.6, "vf", kRemoved}});
  trial.intervals[0].total.rx.packets = 7;
  EXPECT_DOUBLE_EQ(servicing_of(Mode::rx, trial)->before.value_or(0), 14);
}

}  // namespace
}  // namespace manactl::datapath::servicing_test
