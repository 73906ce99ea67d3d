// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include "datapath/analysis/summary.h"

namespace manactl::datapath::lisa_rate_test {
namespace {

Trial sent(const std::vector<std::uint64_t>& packets) {
  Trial trial;
  for (const auto count : packets) {
    auto& total = trial.intervals.emplace_back().total;
    total.seconds = 0.5;
    total.tx.packets = count;
  }
  return trial;
}

TEST(LisaRate, LeavesOutLeadingZerosAndBothEnds) {
  const auto rate = lisa_rate({sent({0, 0, 1, 10, 30, 20, 0, 99})}, &Sample::tx);
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(rate->maximum, 60);
  EXPECT_DOUBLE_EQ(rate->average, 30);  // mean of 20, 60, 40 and 0
  EXPECT_DOUBLE_EQ(rate->minimum, 0);
}

TEST(LisaRate, CombinesAllTrialsEachWithoutItsEnds) {
  const auto rate = lisa_rate({sent({1, 10, 1}), sent({1, 20, 1}), sent({1, 1})}, &Sample::tx);
  ASSERT_TRUE(rate);
  EXPECT_DOUBLE_EQ(rate->minimum, 20);
  EXPECT_DOUBLE_EQ(rate->maximum, 40);
}

TEST(LisaRate, IsAbsentWithTooFewIntervals) {
  EXPECT_FALSE(lisa_rate({sent({5, 5})}, &Sample::tx));
  EXPECT_FALSE(lisa_rate({sent({5, 5, 5, 5})}, &Sample::rx));
  EXPECT_FALSE(lisa_rate({}, &Sample::tx));
}

}  // namespace
}  // namespace manactl::datapath::lisa_rate_test
