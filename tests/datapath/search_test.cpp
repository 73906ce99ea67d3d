// SPDX-License-Identifier: MIT

#include "datapath/analysis/search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "datapath/search_device.h"

namespace manactl::datapath::search_test {
namespace {

double seconds_of(const SearchResult& result) {
  double seconds = 0;
  for (const auto& probe : result.probes) seconds += probe.seconds;
  return seconds;
}

class Capacities : public testing::TestWithParam<double> {};

TEST_P(Capacities, AreBetweenTheBounds) {
  const auto result = search_of(step_at(GetParam()));
  ASSERT_EQ(result.found.size(), 1U);
  const auto& found = result.found.front();
  EXPECT_EQ(found.end, GoalResult::End::narrow);
  EXPECT_TRUE(found.is_final);
  ASSERT_TRUE(found.lower && found.upper);
  EXPECT_LE(*found.lower, GetParam() * (1 + 1e-6));  // just above capacity, trials can lose nothing
  EXPECT_GT(*found.upper, GetParam());
  EXPECT_LE(*found.upper - *found.lower, 0.005 * *found.upper);
  EXPECT_EQ(found.throughput, *found.lower);
  EXPECT_GE(final_probes(result, *found.lower, 10), 1U);
  EXPECT_GE(final_probes(result, *found.upper, 10), 1U);
  // A bisection from 1000 to 20 million packets/s would need at least twelve long trials (120 s).
  EXPECT_LT(seconds_of(result), 80);
  EXPECT_EQ(result.reach, 20e6);
}

INSTANTIATE_TEST_SUITE_P(Steps,
                         Capacities,
                         testing::Values(1001, 2e4, 123'456, 1.2e6, 9.99e6, 1.5e7, 1.99e7));

TEST(Search, DetectsADeviceThatNeverLosesPackets) {
  const auto result = search_of({});
  const auto& found = result.found.front();
  EXPECT_EQ(found.end, GoalResult::End::above);
  ASSERT_TRUE(found.lower);
  EXPECT_EQ(*found.lower, 20e6);
  EXPECT_FALSE(found.upper);
  EXPECT_TRUE(found.is_final);
  EXPECT_LE(result.probes.size(), 4U);
}

// With a goal above 0, the search once ended without any bound: "even at 0 pps".
TEST(Search, DetectsADeviceThatAlwaysLosesPackets) {
  Device device;
  device.loss = [](double) { return 0.01; };
  for (const auto& found : search_of(device, plan_for({0, 0.001})).found) {
    EXPECT_EQ(found.end, GoalResult::End::constant);
    EXPECT_FALSE(found.lower || found.low);
    ASSERT_TRUE(found.upper);
    EXPECT_LE(*found.upper, device.sender / 10);
    EXPECT_GT(*found.upper, 0);
    EXPECT_EQ(found.throughput, 0);
  }
}

TEST(Search, FindsSeveralRatesTogether) {
  // Above 10 Mpps, the loss grows by 0.1 % per Mpps.
  Device device;
  device.loss = [](double rate) { return std::max(0.0, (rate - 10e6) * 1e-9); };
  const auto result = search_of(device, plan_for({0, 0.005}));
  ASSERT_EQ(result.found.size(), 2U);
  const auto& none = result.found[0];
  const auto& some = result.found[1];
  EXPECT_NEAR(*none.lower, 10e6, 0.05e6);
  EXPECT_NEAR(*some.lower, 15e6, 0.1e6);
  EXPECT_LE(*some.lower, 15e6);
  EXPECT_GT(*some.upper, 15e6);
  EXPECT_LT(some.throughput, *some.lower);
  EXPECT_NEAR(some.throughput, *some.lower * (1 - (*some.lower - 10e6) * 1e-9), 1);
  // One search for both goals is faster than two searches.
  EXPECT_LT(seconds_of(result),
            seconds_of(search_of(device, plan_for({0}))) +
                seconds_of(search_of(device, plan_for({0.005}))));
}

TEST(Search, KeepsTheOrderOfItsGoals) {
  Device device;
  device.loss = [](double rate) { return std::max(0.0, (rate - 3e6) * 2e-9); };
  const auto result = search_of(device, plan_for({0.02, 0, 0.001}));
  ASSERT_EQ(result.found.size(), 3U);
  EXPECT_EQ(result.found[0].loss, 0.02);
  EXPECT_GT(*result.found[0].lower, *result.found[2].lower);
  EXPECT_GT(*result.found[2].lower, *result.found[1].lower);
}

TEST(Search, IsDeterministic) {
  const auto device = step_at(7.7e6);
  const auto one = search_of(device), other = search_of(device);
  ASSERT_EQ(one.probes.size(), other.probes.size());
  for (std::size_t i = 0; i < one.probes.size(); ++i) {
    EXPECT_EQ(one.probes[i].asked, other.probes[i].asked);
    EXPECT_EQ(one.probes[i].seconds, other.probes[i].seconds);
  }
}

TEST(Search, BeginsWithShortTrialsAndEndsWithLongOnes) {
  const auto result = search_of(step_at(5e6));
  EXPECT_DOUBLE_EQ(result.probes.front().seconds, 1);
  EXPECT_EQ(result.probes.back().seconds, 10);
  EXPECT_TRUE(std::is_sorted(
      result.probes.begin(), result.probes.end(), [](const SearchProbe& a, const SearchProbe& b) {
        return a.seconds < b.seconds;
      }));
}

// The device loses packets between 6 and 7 Mpps and above 12 Mpps.
TEST(Search, StaysBelowTheLowestRateThatLostPackets) {
  Device device;
  device.loss = [](double rate) { return (rate > 6e6 && rate < 7e6) || rate > 12e6 ? 0.1 : 0.0; };
  const auto result = search_of(device);
  const auto& found = result.found.front();
  EXPECT_EQ(found.end, GoalResult::End::narrow);
  for (const auto& probe : result.probes) {
    if (probe.seconds == 10 && probe.loss() > 0) {
      EXPECT_GE(probe.load(), *found.upper);
    }
  }
  EXPECT_LE(*found.upper - *found.lower, 0.005 * *found.upper);
}

TEST(Search, IsMostlyRightOnANoisyDevice) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> dice(0, 1);
  int near = 0;
  constexpr int kRuns = 50;
  for (int run = 0; run < kRuns; ++run) {
    // Every tenth trial loses packets at any rate.
    const auto device = step_at(8e6);
    SearchPlan plan;
    plan.repeat = 3;
    const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
      auto probe = device.probe(rate, seconds);
      if (dice(random) < 0.1 && probe.received == probe.sent) probe.received -= 5;
      return probe;
    });
    ASSERT_TRUE(result.has_value());
    const auto& found = result->found.front();
    EXPECT_EQ(found.end, GoalResult::End::narrow);
    EXPECT_LE(*found.lower, 8e6 * (1 + 1e-6));
    EXPECT_LT(*found.lower, *found.upper);
    near += *found.lower > 0.98 * 8e6 ? 1 : 0;
  }
  EXPECT_GT(near, kRuns * 8 / 10);
}

TEST(Search, DecidesByTheMajorityOfFinalTrials) {
  SearchPlan plan;
  plan.repeat = 3;
  const auto result = search_of(step_at(5e6), plan);
  const auto& found = result.found.front();
  EXPECT_EQ(final_probes(result, *found.lower, 10), 2U);  // a third trial cannot change the result
  EXPECT_EQ(final_probes(result, *found.upper, 10), 2U);
}

TEST(Search, AllowsHalfOfTheFinalTrialsToMissTheGoal) {
  SearchPlan plan;
  plan.repeat = 2;
  bool is_good = false;
  const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
    Device device = step_at(5e6);
    is_good = seconds < 10 || !is_good;  // every second long trial loses packets
    if (!is_good) device.loss = [](double) { return 0.5; };
    return device.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  ASSERT_TRUE(found.lower);
  EXPECT_NEAR(*found.lower, 5e6, 0.05e6);
  EXPECT_EQ(final_probes(*result, *found.lower, 10), 2U);
}

TEST(Search, ReportsTheMedianThroughputAtTheLowerBound) {
  SearchPlan plan = plan_for({0.01});
  plan.repeat = 5;
  int count = 0;
  const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
    Device device;
    const double lost = 0.001 * (++count % 3);
    device.loss = [lost](double load) { return load > 5e6 ? 0.5 : lost; };
    return device.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  EXPECT_EQ(final_probes(*result, *found.lower, 10), 3U);  // they lose 0, 0.1 and 0.2 %
  EXPECT_NEAR(found.throughput, *found.lower * 0.999, 1);
}

TEST(Search, UsesTheSendersHighestRateAsMaximum) {
  Device device;
  device.sender = 4e6;
  SearchPlan plan;
  plan.max_rate = 10e6;
  const auto result = search_of(device, plan);
  const auto& found = result.found.front();
  EXPECT_EQ(found.end, GoalResult::End::above);
  EXPECT_EQ(*found.lower, 4e6);
  EXPECT_EQ(result.reach, 4e6);
}

TEST(Search, RepeatsATrialIfTheSenderLags) {
  const auto device = step_at(5e6);
  int count = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    // In half of the trials, sender and device are slow, as if another program used their CPUs.
    auto slow = device;
    if (++count % 4 >= 2) {
      slow.sender = 1e6 / count;
      slow.loss = [](double) { return 0.5; };
    }
    return slow.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().end, GoalResult::End::narrow);
  EXPECT_NEAR(*result->found.front().lower, 5e6, 0.03e6);
}

// As if another program had used the CPUs of the first two trials at each rate.
Result<SearchResult> disturbed_search(const Device& quiet, const Device& busy) {
  std::map<double, int> trials;
  return search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    const bool disturbed = ++trials[rate] <= 2;
    auto probe = (disturbed ? busy : quiet).probe(rate, seconds);
    probe.disturbed = disturbed;
    return probe;
  });
}

TEST(Search, RepeatsADisturbedTrialThatLostPackets) {
  const auto quiet = step_at(5e6);
  auto busy = quiet;
  busy.loss = [](double) { return 0.1; };
  const auto result = disturbed_search(quiet, busy);
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  EXPECT_EQ(found.end, GoalResult::End::narrow);
  EXPECT_NEAR(*found.lower, 5e6, 0.03e6);
  EXPECT_FALSE(found.disturbed);
}

TEST(Search, RepeatsADisturbedFirstTrial) {
  Device busy;
  busy.sender = 8e6;
  const auto result = disturbed_search({}, busy);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().lower, 20e6) << "the highest rate of the sender";
}

TEST(Search, SaysThatItWasDisturbedToTheEnd) {
  const auto device = step_at(5e6);
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = device.probe(rate, seconds);
    probe.disturbed = true;
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  EXPECT_EQ(found.end, GoalResult::End::narrow);
  EXPECT_TRUE(found.disturbed);
}

TEST(Search, StatesWhereAnotherSearchMayEnd) {
  const auto narrow = search_of(step_at(5e6)).found.front();
  EXPECT_EQ(narrow.low, narrow.lower);
  EXPECT_EQ(narrow.high, narrow.upper);

  // Each paced trial reaches another rate.
  Device device;
  int trials = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    device.sender = std::isinf(rate) ? 20e6 : 10e6 + 1e6 * (++trials % 3);
    return device.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
  const auto& above = result->found.front();
  EXPECT_EQ(above.end, GoalResult::End::above);
  EXPECT_EQ(above.low, 10e6);
  EXPECT_EQ(above.high, 20e6);
}

TEST(Search, ReportsItsProgressBeforeEachTrial) {
  SearchPlan plan;
  std::vector<SearchProgress> reports;
  plan.on_progress = [&](const auto& progress) { reports.push_back(progress); };
  const auto result = search_of(step_at(5e6), plan);
  ASSERT_EQ(reports.size(), result.probes.size());
  EXPECT_TRUE(std::isinf(reports.front().rate));
  EXPECT_FALSE(reports.front().lower || reports.front().upper);
  for (std::size_t i = 0; i < reports.size(); ++i) {
    EXPECT_EQ(reports[i].rate, result.probes[i].asked);
    EXPECT_GT(reports[i].seconds_left, 0);
  }
  EXPECT_TRUE(reports.back().lower || reports.back().upper);
  EXPECT_LT(reports.back().seconds_left, reports.front().seconds_left);
}

// A paced sender may be slower than an unlimited one.
TEST(Search, LowersTheMaximumIfTheSenderCannotReachIt) {
  Device device;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    device.sender = std::isinf(rate) ? 20e6 : 15e6;
    return device.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  EXPECT_EQ(found.end, GoalResult::End::above);
  EXPECT_EQ(*found.lower, 15e6);
  EXPECT_EQ(result->reach, 20e6);
}

}  // namespace
}  // namespace manactl::datapath::search_test
