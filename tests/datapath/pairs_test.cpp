// SPDX-License-Identifier: MIT

#include "datapath/analysis/pairs.h"

#include <gtest/gtest.h>

#include <cmath>

namespace manactl::datapath::pairs_test {
namespace {

// Returns e^(step * 1), e^(step * 2), ... so that the logarithms of the ratios to 1 are multiples
// of `step`.
std::vector<double> powers(std::size_t count, double step) {
  std::vector<double> values;
  for (std::size_t i = 1; i <= count; ++i) {
    values.push_back(std::exp(step * static_cast<double>(i)));
  }
  return values;
}

TEST(PairedComparison, EstimatesTheRatio) {
  const auto effect = compare_pairs({100, 200, 50}, {110, 220, 55});
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->change, 0.1, 1e-12);
  EXPECT_FALSE(effect->confidence);
}

TEST(PairedComparison, IgnoresChangesThatAffectBoth) {
  const std::vector<double> before = {100, 50, 200, 80, 120, 60, 90};
  std::vector<double> after;
  for (const double value : before) after.push_back(value * 0.95);
  const auto effect = compare_pairs(before, after);
  ASSERT_TRUE(effect && effect->confidence);
  EXPECT_NEAR(effect->confidence->low, -0.05, 1e-12);
  EXPECT_NEAR(effect->confidence->high, -0.05, 1e-12);
}

// The tables of the signed-rank test: the critical values for 6, 8 and 10 pairs are 0, 3 and 8, so
// the interval starts at the 1st, 4th and 9th mean.
TEST(PairedComparison, MatchesTheTablesOfTheSignedRankTest) {
  const auto low = [](std::size_t count) {
    return std::log1p(
        compare_pairs(std::vector<double>(count, 1), powers(count, 0.01))->confidence->low);
  };
  EXPECT_NEAR(low(6), 0.010, 1e-12);   // 1.0
  EXPECT_NEAR(low(8), 0.020, 1e-12);   // 1.0, 1.5, 2.0, 2.0
  EXPECT_NEAR(low(10), 0.030, 1e-12);  // 1.0, 1.5, 2.0, 2.0, 2.5, 2.5, 3.0, 3.0, 3.0
}

TEST(PairedComparison, IsSymmetric) {
  const auto first = powers(9, 0.02);
  const std::vector<double> second = {1.2, 0.9, 1.1, 1.3, 1.0, 1.4, 0.8, 1.25, 1.15};
  const auto forth = compare_pairs(first, second);
  const auto back = compare_pairs(second, first);
  ASSERT_TRUE(forth && back);
  EXPECT_NEAR((1 + forth->change) * (1 + back->change), 1, 1e-12);
  EXPECT_NEAR((1 + forth->confidence->low) * (1 + back->confidence->high), 1, 1e-12);
}

TEST(PairedComparison, IsNotMovedByOneOutlier) {
  const std::vector<double> ones(10, 1);
  auto after = std::vector<double>(10, 0.95);
  after[3] = 0.01;
  const auto effect = compare_pairs(ones, after);
  ASSERT_TRUE(effect);
  EXPECT_NEAR(effect->change, -0.05, 1e-12);
  EXPECT_NEAR(effect->confidence->high, -0.05, 1e-12);
}

TEST(PairedComparison, NeedsPositivePairs) {
  EXPECT_FALSE(compare_pairs({}, {}));
  EXPECT_FALSE(compare_pairs({1, 2}, {1}));
  EXPECT_FALSE(compare_pairs({1, 0}, {1, 1}));
  EXPECT_FALSE(compare_pairs({1, 1}, {1, -1}));
}

}  // namespace
}  // namespace manactl::datapath::pairs_test
