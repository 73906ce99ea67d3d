// SPDX-License-Identifier: MIT

#include "report/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/figures.h"
#include "report/sample_results.h"

namespace manactl::report::result_test {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

// The median excludes the slow first and last intervals; the total includes them.
TEST(BenchResult, HasTheMedianOfItsRates) {
  const auto result = test::steady(datapath::Mode::tx, 1e6);
  const auto total = total_of(result.report);
  ASSERT_LT(per_second(total.tx, total.seconds), 0.99e6);
  EXPECT_EQ(rate_of(result), result.summary.rate.median);
  EXPECT_NEAR(rate_of(result).value_or(0), 1e6, 0.005e6);
}

// The mean of a trial includes its ramp.
TEST(BenchResult, HasNoRateWithoutASteadyInterval) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  result.summary.rate = datapath::estimate({0.9e6});
  EXPECT_EQ(rate_of(result), 0.9e6);
  result.summary.rate = {};
  EXPECT_EQ(rate_of(result), std::nullopt);
  for (auto& trial : result.report.trials) trial.total = {};
  EXPECT_EQ(rate_of(result), 0) << "nothing moved";
}

TEST(BenchResult, HasTheCpuTimePerPacket) {
  auto result = test::repeated(datapath::Mode::tx, {1e6, 1e6});
  EXPECT_FALSE(cpu_time_of(result));
  result.interference.cpu_seconds = 19;
  const auto packets = static_cast<double>(total_of(result.report).tx.packets);
  EXPECT_DOUBLE_EQ(cpu_time_of(result).value_or(0), 19e9 / packets);
  result.search.emplace();
  EXPECT_FALSE(cpu_time_of(result));
  auto idle = test::steady(datapath::Mode::tx, 0);
  idle.interference.cpu_seconds = 19;
  EXPECT_FALSE(cpu_time_of(idle));
}

TEST(BenchResult, NamesTheSoftwareAdapterInItsHeadline) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_EQ(headline_of(result), "tx on net_null0");
  result.simulated = true;
  EXPECT_EQ(headline_of(result), "simulated: tx on the software adapter");
}

// A search reports only the trials of the rate that it found. The user may have stopped a later
// trial, which is not reported.
TEST(BenchResult, IsInterruptedWithItsLastTrialOrSearch) {
  auto result = test::steady(datapath::Mode::txrx, 1e6);
  EXPECT_FALSE(is_interrupted(result));
  result.search.emplace();
  EXPECT_FALSE(is_interrupted(result));
  result.search->probes.resize(2);
  EXPECT_FALSE(is_interrupted(result));
  result.search->probes.back().stopped = true;
  EXPECT_TRUE(is_interrupted(result));
  result.search.reset();
  result.report.trials.back().interrupted = true;
  EXPECT_TRUE(is_interrupted(result));
}

TEST(BenchResult, RejectsTheSyntheticPathUnlessItIsAllowed) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_FALSE(took_rejected_path(result));
  result.path.verdict = datapath::Path::synthetic;
  EXPECT_TRUE(took_rejected_path(result));
  result.synthetic_allowed = true;
  EXPECT_FALSE(took_rejected_path(result));
}

// As the rate of the run, they exclude the first and the last interval.
TEST(BenchResult, HasTheMeanRatesOfTheQueuesInSteadyIntervals) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_THAT(queue_rates_of(result), ElementsAre(DoubleNear(5e5, 1e3), DoubleNear(5e5, 1e3)));
  const auto& total = result.report.trials.front().queues[0];
  EXPECT_LT(per_second(total.tx, total.seconds), 4.5e5);
  for (auto& interval : result.report.trials.front().intervals) interval.disturbed = true;
  EXPECT_THAT(queue_rates_of(result), IsEmpty());
}

}  // namespace
}  // namespace manactl::report::result_test
