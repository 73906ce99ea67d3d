// SPDX-License-Identifier: MIT
//
// How a search ends if it cannot finish.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "datapath/analysis/search.h"
#include "datapath/search_device.h"

namespace manactl::datapath::search_end_test {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

TEST(Search, IsInconclusiveIfNothingIsSent) {
  Device device;
  device.sender = 0;
  EXPECT_EQ(search_of(device).found.front().end, GoalResult::End::inconclusive);
  device.sender = 10;  // less than the minimum rate
  const auto result = search_of(device);
  EXPECT_EQ(result.found.front().end, GoalResult::End::inconclusive);
  EXPECT_FALSE(result.found.front().lower || result.found.front().upper);
}

TEST(Search, EndsAfterSeveralInvalidTrials) {
  const auto device = step_at(5e6);
  int count = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = device.probe(rate, seconds);
    probe.valid = ++count < 5;
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().end, GoalResult::End::inconclusive);
  EXPECT_FALSE(result->found.front().is_final);
  EXPECT_EQ(count, 7);
}

// A device that drops every 500th packet, as with the fault rx=drop,every=500.
Result<SearchProbe> probe_with_period(double rate, double seconds) {
  auto probe = Device{}.probe(rate, seconds);
  probe.received = probe.sent - probe.sent / 500;
  return probe;
}

// Short trials at the lowest rates send fewer packets than the period, and lose none.
TEST(Search, EndsEarlyIfTheLossIsTheSameAtAllRates) {
  auto plan = plan_for({0, 0.01});
  plan.final_seconds = 1;
  const auto result = search(plan, probe_with_period);
  ASSERT_TRUE(result.has_value());
  const auto& ndr = result->found[0];
  EXPECT_EQ(ndr.end, GoalResult::End::constant);
  EXPECT_FALSE(ndr.lower || ndr.low);
  EXPECT_TRUE(ndr.upper);
  const auto& pdr = result->found[1];
  EXPECT_EQ(pdr.end, GoalResult::End::above);
  EXPECT_EQ(*pdr.lower, 20e6);
  EXPECT_LT(result->probes.size(), 20U);
}

// The share of a device that carries a fixed rate is also about the same at very high rates.
TEST(Search, DoesNotMistakeAnOverloadedDeviceForAConstantLoss) {
  const auto result = search_of(step_at(1e4));
  EXPECT_EQ(result.found.front().end, GoalResult::End::narrow);
}

TEST(Search, DoesNotKeepALowerBoundAboveARateThatFailedLater) {
  // The first long trial loses packets at a rate at which short trials lost none.
  const SearchPlan plan;
  bool has_failed = false;
  const auto refuted = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = step_at(1e6).probe(rate, seconds);
    probe.stopped = has_failed;
    if (seconds >= plan.final_seconds && probe.received == probe.sent) {
      probe.received -= 3;
      has_failed = true;
    }
    return probe;
  });
  ASSERT_TRUE(refuted.has_value());
  const auto& goal = refuted->found.front();
  ASSERT_EQ(goal.end, GoalResult::End::stopped);
  for (const auto& probe : refuted->probes) {
    if (probe.stopped) continue;
    if (goal.lower && probe.load() <= *goal.lower) {
      EXPECT_EQ(probe.loss(), 0) << probe.load();
    }
    if (probe.loss() > 0) {
      EXPECT_GE(probe.load(), goal.upper.value_or(kInfinite));
    }
  }
}

// net_null receives more packets than it sends. Such trials once had "no loss".
TEST(Search, HasNoResultIfOtherTrafficHidesLosses) {
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = step_at(5e6).probe(rate, seconds);
    probe.received = 2 * probe.sent;
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().end, GoalResult::End::foreign);
  EXPECT_FALSE(is_found(result->found.front()));
  EXPECT_EQ(result->probes.size(), 3U);
}

TEST(Search, IgnoresAFewStrayPackets) {
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = step_at(5e6).probe(rate, seconds);
    if (probe.received == probe.sent) probe.received += 50;
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().end, GoalResult::End::narrow);
}

// The first trial of a longer stage may confirm only a lower rate than that of the stage before.
TEST(Search, NeverShowsALowerBoundThatFalls) {
  SearchPlan plan;
  std::optional<double> lower;
  plan.on_progress = [&](const SearchProgress& progress) {
    const bool was_refuted = progress.upper && lower && *progress.upper <= *lower;
    if (lower && !was_refuted) {
      ASSERT_TRUE(progress.lower);
      EXPECT_GE(*progress.lower, *lower);
    }
    lower = progress.lower;
  };
  auto device = step_at(5e6);
  int count = 0;
  const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
    device.sender = 4e6 / (1 + 0.05 * ++count);  // the sender becomes slower
    return device.probe(rate, seconds);
  });
  ASSERT_TRUE(result.has_value());
}

TEST(Search, RepeatsAnInvalidTrial) {
  const auto device = step_at(5e6);
  int count = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = device.probe(rate, seconds);
    if (++count % 2 == 0) probe.received = 0, probe.valid = false;
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->found.front().end, GoalResult::End::narrow);
  EXPECT_NEAR(*result->found.front().lower, 5e6, 0.03e6);
}

class StoppedAfter : public testing::TestWithParam<int> {};

TEST_P(StoppedAfter, ReturnsTheBoundsFoundSoFar) {
  const auto device = step_at(5e6);
  int count = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    auto probe = device.probe(rate, seconds);
    probe.stopped = ++count == GetParam();
    return probe;
  });
  ASSERT_TRUE(result.has_value());
  const auto& found = result->found.front();
  EXPECT_EQ(found.end, GoalResult::End::stopped);
  EXPECT_EQ(result->probes.size(), static_cast<std::size_t>(GetParam()));
  for (const auto& bound : {found.lower, found.upper}) {
    if (!bound) continue;
    EXPECT_TRUE(std::any_of(result->probes.begin(),
                            result->probes.end() - 1,
                            [&](const SearchProbe& p) { return p.load() == *bound; }));
  }
  if (found.lower) {
    EXPECT_LE(*found.lower, 5e6 * (1 + 1e-6));
  }
  if (found.upper) {
    EXPECT_GT(*found.upper, 5e6);
  }
  if (GetParam() > 5) {
    EXPECT_TRUE(found.lower && found.upper);
  }
}

INSTANTIATE_TEST_SUITE_P(Trials, StoppedAfter, testing::Range(1, 9));

TEST(Search, FailsIfATrialFails) {
  int count = 0;
  const auto result = search({}, [&](double rate, double seconds) -> Result<SearchProbe> {
    if (++count == 3) return fail(Errc::io, "the device was removed");
    return step_at(5e6).probe(rate, seconds);
  });
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().message, "the device was removed");
  EXPECT_EQ(count, 3);
}

TEST(Search, EndsAtItsLimitOfTrials) {
  SearchPlan plan;
  plan.max_probes = 4;
  const auto result = search_of(step_at(5e6), plan);
  EXPECT_EQ(result.found.front().end, GoalResult::End::limit);
  EXPECT_EQ(result.probes.size(), 4U);
}

// Random results must not make a search endless.
TEST(Search, EndsWithRandomResults) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> dice(0, 1);
    SearchPlan plan = plan_for({0, 0.01});
    plan.repeat = 1 + seed % 4;
    plan.max_probes = 100'000;
    const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
      Device device;
      device.sender = 1e4 + dice(random) * 1e7;
      const double lost = dice(random) < 0.5 ? 0 : dice(random);
      device.loss = [lost](double) { return lost; };
      auto probe = device.probe(rate, seconds);
      probe.valid = dice(random) < 0.9;
      return probe;
    });
    ASSERT_TRUE(result.has_value());
    ASSERT_LT(result->probes.size(), 1000U) << seed;
    for (const auto& found : result->found) {
      if (found.lower && found.upper) {
        ASSERT_LT(*found.lower, *found.upper) << seed;
      }
    }
  }
}

TEST(Search, RejectsInvalidPlans) {
  const auto is_rejected = [](auto change) {
    SearchPlan plan;
    change(plan);
    return !validate(plan).has_value() && !search(plan, {}).has_value();
  };
  EXPECT_TRUE(validate(SearchPlan{}).has_value());
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.losses = {}; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.losses = {0, -0.1}; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.losses = {1}; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.losses = {std::nan("")}; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.min_rate = 0; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.max_rate = 999; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.max_rate = std::nan(""); }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.width = 0; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.width = 1; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.final_seconds = 0; }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.final_seconds = std::nan(""); }));
  EXPECT_TRUE(is_rejected([](SearchPlan& plan) { plan.repeat = 0; }));
}

TEST(SearchProbe, HasTheLoadThatWasSent) {
  SearchProbe probe;
  probe.asked = 1000;
  probe.rate = 995;
  EXPECT_EQ(probe.load(), 1000);
  probe.rate = 900;
  EXPECT_EQ(probe.load(), 900);
  probe.asked = kInfinite;
  EXPECT_FALSE(probe.kept_up());
  EXPECT_EQ(probe.load(), 900);
}

TEST(SearchProbe, HasTheLostShareOfItsPackets) {
  SearchProbe probe;
  EXPECT_EQ(probe.loss(), 1);  // nothing was sent
  probe.sent = 1000;
  probe.received = 990;
  EXPECT_DOUBLE_EQ(probe.loss(), 0.01);
  probe.received = 1001;  // other traffic
  EXPECT_EQ(probe.loss(), 0);
}

}  // namespace
}  // namespace manactl::datapath::search_end_test
