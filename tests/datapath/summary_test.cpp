// SPDX-License-Identifier: MIT

#include "datapath/analysis/summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath::summary_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Interval> intervals_of(const std::vector<std::uint64_t>& packets) {
  std::vector<Interval> intervals;
  for (const auto count : packets) {
    auto& total = intervals.emplace_back().total;
    total.seconds = 0.5;
    total.tx.packets = count;
  }
  return intervals;
}

TEST(Summary, LeavesOutTheFirstAndTheLastInterval) {
  const auto summary = summarize(Mode::tx, intervals_of({1, 50, 51, 49, 2}), 0, {});
  EXPECT_THAT(summary.rates, ElementsAre(100, 102, 98));
  EXPECT_EQ(summary.left_out, 2U);
  EXPECT_EQ(summary.rate.median, 100);
  EXPECT_FALSE(summary.noisy());
}

TEST(Summary, HasNoRateOfTheRamp) {
  EXPECT_THAT(summarize(Mode::tx, intervals_of({40, 50, 51, 49}), 0, {}).rates,
              ElementsAre(100, 102));
  EXPECT_THAT(summarize(Mode::tx, intervals_of({40, 50, 20}), 0, {}).rates, ElementsAre(100));
  EXPECT_THAT(summarize(Mode::tx, intervals_of({40, 50}), 0, {}).rates, ElementsAre(100));
}

TEST(Summary, PrefersTheFirstOfTwoIntervalsToAFragment) {
  auto intervals = intervals_of({50, 1});
  intervals.back().total.seconds = 0.2;
  EXPECT_THAT(summarize(Mode::tx, intervals, 0, {}).rates, ElementsAre(100));
}

TEST(Summary, KeepsTheOnlyInterval) {
  const auto summary = summarize(Mode::tx, intervals_of({50}), 0, {});
  EXPECT_THAT(summary.rates, ElementsAre(100));
  EXPECT_EQ(summary.left_out, 0U);
}

TEST(Summary, LeavesOutIntervalsThatBeganDuringTheWarmup) {
  const auto summary = summarize(Mode::tx, intervals_of({90, 90, 90, 1, 50, 51, 2}), 1.2, {});
  EXPECT_THAT(summary.rates, ElementsAre(100, 102));
  EXPECT_EQ(summary.left_out, 5U);
}

TEST(Summary, LeavesOutIntervalsBeforeTheFirstPacket) {
  EXPECT_THAT(summarize(Mode::tx, intervals_of({0, 0, 1, 50, 0, 2}), 0, {}).rates,
              ElementsAre(100, 0));
}

// A receiver runs longer than its sender, so empty intervals at a receiver's end do not count.
// Empty intervals of a sender count, because the sender may have stopped early.
TEST(Summary, LeavesOutIntervalsAfterAReceiversLastPacket) {
  const std::vector<std::uint64_t> packets{0, 5, 50, 51, 49, 3, 0, 0};
  auto intervals = intervals_of(packets);
  for (auto& interval : intervals) interval.total.rx = interval.total.tx;
  for (const auto& row : kModes) {
    const auto summary = summarize(row.mode, intervals, 0, {});
    if (row.generates_packets) {
      EXPECT_THAT(summary.rates, ElementsAre(100, 102, 98, 6, 0)) << row.name;
    } else {
      EXPECT_THAT(summary.rates, ElementsAre(100, 102, 98)) << row.name;
      EXPECT_EQ(summary.left_out, 5U) << row.name;
    }
  }
}

// A receiver that ran for 20 s once reported 1.054 kpps instead of 17 kpps.
TEST(Summary, LeavesOutStrayPacketsBeforeAndAfterAReceiversTraffic) {
  auto intervals = intervals_of({0, 1, 0, 300, 8500, 8400, 8600, 200, 0, 1, 2, 0, 0, 1});
  for (auto& interval : intervals) interval.total.rx = interval.total.tx;
  for (const auto mode : {Mode::rx, Mode::fwd}) {
    EXPECT_THAT(summarize(mode, intervals, 0, {}).rates, ElementsAre(16'800)) << name_of(mode);
    EXPECT_EQ(stray_packets(mode, intervals), 5U);
  }
  EXPECT_EQ(stray_packets(Mode::txrx, intervals), 0U);
}

// A burst of 1000 packets at 100 kpps once had a rate of 9.582 kpps, because it lasted for a tenth
// of its only interval.
TEST(Summary, HasNoRateOfTrafficThatBeganOrEndedInEveryInterval) {
  const std::vector<std::vector<std::uint64_t>> fragments{
      {0, 50, 0}, {50, 0}, {0, 50}, {0, 50, 20, 0}, {50, 20, 0}, {0, 0, 50, 20, 0, 0}};
  for (const auto& packets : fragments) {
    auto intervals = intervals_of(packets);
    for (auto& interval : intervals) interval.total.rx = interval.total.tx;
    for (const auto mode : {Mode::rx, Mode::fwd}) {
      const auto summary = summarize(mode, intervals, 0, {});
      EXPECT_THAT(summary.rates, IsEmpty()) << packets.size();
      EXPECT_EQ(summary.left_out, packets.size());
    }
  }
  EXPECT_THAT(summarize(Mode::tx, intervals_of({0, 50}), 0, {}).rates, IsEmpty());
}

TEST(Summary, HasTheRateOfTrafficThatBeganEarlier) {
  EXPECT_THAT(summarize(Mode::tx, intervals_of({0, 20, 50}), 0, {}).rates, ElementsAre(100));
  auto intervals = intervals_of({30, 60, 50, 40, 0});
  for (auto& interval : intervals) interval.total.rx = interval.total.tx;
  EXPECT_THAT(summarize(Mode::rx, intervals, 0.5, {}).rates, ElementsAre(100));
}

TEST(Summary, LeavesOutIntervalsInWhichADeviceWasAbsent) {
  auto intervals = intervals_of({1, 50, 20, 0, 30, 51, 1});
  for (const auto index : {2U, 3U, 4U}) intervals[index].disturbed = true;
  const auto summary = summarize(Mode::tx, intervals, 0, {});
  EXPECT_THAT(summary.rates, ElementsAre(100, 102));
  EXPECT_EQ(summary.left_out, 5U);
}

TEST(Summary, BeginsAfterTheLongerOfWarmupAndRamp) {
  TrialPlan plan;
  plan.warmup_seconds = 0.5;
  plan.ramp_seconds = 3;
  EXPECT_EQ(plan.steady_after(), 3);
  plan.warmup_seconds = 4;
  EXPECT_EQ(plan.steady_after(), 4);
}

TEST(Summary, CountsReceivedPacketsIfTheModeReceives) {
  auto intervals = intervals_of({50, 50});
  for (auto& interval : intervals) interval.total.rx.packets = 20;
  EXPECT_THAT(summarize(Mode::rx, intervals, 0, {}).rates, ElementsAre(40));
}

TEST(Summary, IsEmptyWithoutSteadyIntervals) {
  EXPECT_THAT(summarize(Mode::tx, {}, 0, {}).rates, IsEmpty());
  EXPECT_THAT(summarize(Mode::tx, intervals_of({0, 0}), 0, {}).rates, IsEmpty());
  EXPECT_THAT(summarize(Mode::tx, intervals_of({1}), 5, {}).rates, IsEmpty());
  EXPECT_THAT(summarize(Mode::tx, {Interval{}}, 0, {}).rates, IsEmpty());
}

TEST(Summary, IsNoisyIfTheRateVaries) {
  const auto summary = summarize(Mode::tx, intervals_of({1, 50, 60, 40, 1}), 0, {});
  ASSERT_TRUE(summary.noisy());
  EXPECT_THAT(summary.reasons.front(), HasSubstr("20.0 %"));
}

TEST(Summary, IsNoisyIfCpuTimeWasStolen) {
  EXPECT_FALSE(summarize(Mode::tx, intervals_of({50, 50}), 0, {0.001}).noisy());
  EXPECT_THAT(summarize(Mode::tx, intervals_of({50, 50}), 0, {0.25}).reasons.front(),
              HasSubstr("25.0 %"));
}

TEST(Summary, IsNoisyIfWorkersWerePreempted) {
  const auto intervals = intervals_of({50, 50});
  EXPECT_FALSE(summarize(Mode::tx, intervals, 0, {-1, 0.005}).noisy());
  EXPECT_THAT(summarize(Mode::tx, intervals, 0, {-1, 0.125}).reasons,
              ElementsAre(HasSubstr("12.5 %")));
  EXPECT_EQ(summarize(Mode::tx, intervals, 0, {0.3, 0.3}).reasons.size(), 2U);
}

TEST(Summary, ToleratesDisturbancesUpToOnePercent) {
  const auto intervals = intervals_of({50, 50});
  EXPECT_FALSE(summarize(Mode::tx, intervals, 0, {0.01, 0.01}).noisy());
  EXPECT_THAT(summarize(Mode::tx, intervals, 0, {0.0101, 0.0101}).reasons,
              ElementsAre("the hypervisor gave 1.0 % of the CPU time to others",
                          "workers were preempted 1.0 % of the time"));
  auto one_empty = intervals_of({50, 50, 50, 50});
  one_empty[1].total.seconds = 0;
  EXPECT_EQ(summarize(Mode::tx, one_empty, 0, {}).left_out, 3U);
  EXPECT_THAT(summarize(Mode::tx, intervals_of({90, 1, 50, 1}), 0.5, {}).rates, ElementsAre(100));
}

}  // namespace
}  // namespace manactl::datapath::summary_test
