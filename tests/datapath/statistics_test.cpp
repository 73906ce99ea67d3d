// SPDX-License-Identifier: MIT

#include "datapath/analysis/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

namespace manactl::datapath::statistics_test {
namespace {

std::vector<double> from_one_to(std::size_t count) {
  std::vector<double> values(count);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(Median, IsTheMiddleValue) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Estimate, HasNoConfidenceIntervalBelowSixValues) {
  EXPECT_FALSE(estimate(from_one_to(5)).confidence);
  ASSERT_TRUE(estimate(from_one_to(6)).confidence);
  EXPECT_EQ(estimate(from_one_to(6)).confidence->low, 1);
  EXPECT_EQ(estimate(from_one_to(6)).confidence->high, 6);
}

// The expected limits are from the usual tables for the median.
TEST(Estimate, MatchesTheTablesOfConfidenceLimits) {
  EXPECT_EQ(estimate(from_one_to(10)).confidence->low, 2);
  EXPECT_EQ(estimate(from_one_to(10)).confidence->high, 9);
  EXPECT_EQ(estimate(from_one_to(20)).confidence->low, 6);
  EXPECT_EQ(estimate(from_one_to(20)).confidence->high, 15);
  EXPECT_EQ(estimate(from_one_to(3600)).count, 3600U);
  EXPECT_EQ(estimate(from_one_to(3600)).confidence->low, 1741);  // 1800 - 1.96 * sqrt(3600) / 2
}

TEST(Estimate, HasTheCoefficientOfVariation) {
  EXPECT_EQ(estimate({}).variation, std::nullopt);
  EXPECT_EQ(estimate({5}).variation, std::nullopt);
  EXPECT_EQ(estimate({0, 0}).variation, 0);
  EXPECT_DOUBLE_EQ(estimate({8, 10, 12}).variation.value_or(0), 0.2);
}

TEST(MannWhitney, DistinguishesSeries) {
  EXPECT_EQ(mann_whitney({}, {1}), 1);
  EXPECT_EQ(mann_whitney({3, 3, 3}, {3, 3}), 1);
  EXPECT_DOUBLE_EQ(mann_whitney({1, 2, 3}, {4, 5, 6}), 0.1);  // 2 of the 20 orders are as extreme
  EXPECT_DOUBLE_EQ(mann_whitney({4, 5, 6}, {1, 2, 3}), 0.1);
  EXPECT_EQ(mann_whitney({1, 4}, {2, 3}), 1);
}

// The expected values were computed by counting all orders, or with the normal approximation.
TEST(MannWhitney, MatchesIndependentValues) {
  EXPECT_NEAR(mann_whitney({1, 2, 3, 8}, {4, 5, 6, 7, 9}), 0.19047619047619047, 1e-14);
  EXPECT_NEAR(mann_whitney({4, 5, 6, 7, 9}, {1, 2, 3, 8}), 0.19047619047619047, 1e-14);
  EXPECT_NEAR(mann_whitney({1, 2, 2, 3}, {2, 4, 5}), 0.19908985214820457, 1e-14);
  EXPECT_NEAR(mann_whitney({5}, {1, 2}), 2.0 / 3, 1e-14);
  const auto interleaved = [](std::size_t count) {
    std::vector<double> even, odd;
    for (std::size_t i = 0; i < count; ++i) {
      even.push_back(static_cast<double>(2 * i));
      odd.push_back(static_cast<double>(2 * i + 9));
    }
    return mann_whitney(even, odd);
  };
  EXPECT_NEAR(interleaved(20), 0.030411256038764864, 1e-14);  // the largest exact one
  EXPECT_NEAR(interleaved(21), 0.034593735040723585, 1e-14);
}

// The random numbers of std::mt19937_64 are specified, so the bounds are the same everywhere.
TEST(Comparison, HasReproducibleBounds) {
  const auto effect = compare({100, 140, 90, 120, 111, 95}, {130, 105, 99, 150, 122});
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->change, 122 / 105.5 - 1, 1e-12);
  EXPECT_NEAR(effect->confidence.low, 90.0 / 105 - 1, 1e-12);
  EXPECT_NEAR(effect->confidence.high, 150.0 / 103 - 1, 1e-12);
}

TEST(Comparison, FindsTheChangeAndItsBounds) {
  const std::vector<double> before = {100, 101, 99, 100, 102, 98, 100};
  const std::vector<double> after = {110, 111, 109, 110, 112, 108, 110};
  const auto effect = compare(before, after);
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->change, 0.1, 1e-9);
  EXPECT_GT(effect->confidence.low, 0.07);
  EXPECT_LT(effect->confidence.high, 0.13);
  EXPECT_LE(effect->confidence.low, effect->change);
  EXPECT_GE(effect->confidence.high, effect->change);
  EXPECT_LT(effect->p, 0.01);
}

TEST(Comparison, OfASeriesWithItselfShowsNoChange) {
  const std::vector<double> values = {100, 140, 90, 120, 111, 95};
  const auto effect = compare(values, values);
  ASSERT_TRUE(effect);
  EXPECT_EQ(effect->change, 0);
  EXPECT_LT(effect->confidence.low, 0);
  EXPECT_GT(effect->confidence.high, 0);
  EXPECT_EQ(effect->p, 1);
}

TEST(Comparison, NeedsTwoSeriesAndAPositiveBaseline) {
  EXPECT_FALSE(compare({}, {1}));
  EXPECT_FALSE(compare({1}, {}));
  EXPECT_FALSE(compare({0, 0}, {1}));
}

}  // namespace
}  // namespace manactl::datapath::statistics_test
