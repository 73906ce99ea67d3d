// SPDX-License-Identifier: MIT

#include "cli/bench/result.h"

#include <gtest/gtest.h>

#include "cli/bench/figures.h"
#include "cli/bench/sample_results.h"

namespace manactl::cli {
namespace {

// The slow first and last intervals are no part of it.
TEST(BenchResult, HasTheMedianOfItsRates) {
  const auto result = test::steady(datapath::Mode::tx, 1e6);
  const auto total = total_of(result.report);
  ASSERT_LT(per_second(total.tx, total.seconds), 0.99e6);
  EXPECT_EQ(rate_of(result), result.summary.rate.median);
  EXPECT_NEAR(rate_of(result), 1e6, 0.005e6);
}

TEST(BenchResult, HasTheRateOfItsWholeTimeWhenRatesAreFew) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  result.summary.rate.count = kRates - 1;
  const auto total = total_of(result.report);
  EXPECT_EQ(rate_of(result), per_second(total.tx, total.seconds));
}

// A search keeps the trials behind its bound; the user may have stopped a later one.
TEST(BenchResult, WasInterruptedWithItsLastTrialOrItsSearch) {
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

}  // namespace
}  // namespace manactl::cli
