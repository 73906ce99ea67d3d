// SPDX-License-Identifier: MIT
#include "datapath/traffic/pace.h"

#include <gtest/gtest.h>

namespace manactl::datapath::pace_test {
namespace {

// Returns how many packets a sender sends if it polls every `step` ticks until `end`.
std::uint64_t sent_by(Pace& pace, std::uint64_t end, std::uint64_t step, unsigned burst = 32) {
  std::uint64_t sent = 0;
  pace.start(1000);
  for (std::uint64_t now = 0; now <= end; now += step) {
    const auto due = pace.due(1000 + now, burst);
    pace.spend(due);
    sent += due;
  }
  return sent;
}

TEST(Pace, AllowsExactlyTheRateForAnyPollingInterval) {
  for (const std::uint64_t step : {1U, 7U, 100U, 999U}) {
    Pace pace(0.01, 0, 64);
    const auto end = 1'000'000 / step * step;
    EXPECT_EQ(sent_by(pace, end, step), static_cast<std::uint64_t>(0.01 * static_cast<double>(end)))
        << step;
  }
}

TEST(Pace, DoesNotDriftWithinADay) {
  constexpr double kTicks = 2.25e9;  // ticks per second
  Pace pace(1.0 / 3 / kTicks, 0, 64);
  EXPECT_EQ(sent_by(pace, 86400 * static_cast<std::uint64_t>(kTicks), 2'250'000'000), 28800U);
}

TEST(Pace, AllowsHalfTheRateDuringTheRamp) {
  Pace pace(0.5, 10'000, 64);
  EXPECT_EQ(sent_by(pace, 10'000, 1), 2500U);
  Pace longer(0.5, 10'000, 64);
  EXPECT_EQ(sent_by(longer, 20'000, 1), 7500U);
  Pace half(0.5, 10'000, 64);
  EXPECT_EQ(sent_by(half, 5'000, 1), 625U);
}

TEST(Pace, CatchesUpByAtMostItsDepth) {
  Pace pace(1, 0, 40);
  pace.start(0);
  EXPECT_EQ(pace.due(1'000'000, 32), 32U);
  pace.spend(32);
  EXPECT_EQ(pace.due(1'000'000, 32), 8U);
  pace.spend(8);
  EXPECT_EQ(pace.due(1'000'000, 32), 0U);
  EXPECT_EQ(pace.due(1'000'005, 32), 5U);
}

TEST(Pace, OffersRejectedPacketsAgain) {
  Pace pace(1, 0, 64);
  pace.start(0);
  EXPECT_EQ(pace.due(10, 32), 10U);
  pace.spend(4);
  EXPECT_EQ(pace.due(10, 32), 6U);
}

TEST(Pace, RestartsForEveryTrial) {
  Pace pace(1, 0, 64);
  EXPECT_EQ(sent_by(pace, 1000, 10), 1000U);
  EXPECT_EQ(sent_by(pace, 1000, 10), 1000U);
}

TEST(Pace, IsUnlimitedByDefault) {
  EXPECT_FALSE(Pace().limits());
  EXPECT_TRUE(Pace(1e-9, 0, 64).limits());
}

TEST(Pace, AllowsRatesAboveThoseOfAnyDevice) {
  Pace pace(1e6, 0, 64);
  pace.start(0);
  EXPECT_EQ(pace.due(86400ULL * 4'000'000'000, 32), 32U);
}

}  // namespace
}  // namespace manactl::datapath::pace_test
