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

}  // namespace
}  // namespace manactl::cli
