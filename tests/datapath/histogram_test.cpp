// SPDX-License-Identifier: MIT

#include "datapath/measure/histogram.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace manactl::datapath::histogram_test {
namespace {

constexpr double kPrecision = 1.0 / 1024;

Histogram of(const std::vector<std::uint64_t>& values) {
  Histogram histogram;
  for (const auto value : values) histogram.add(value);
  return histogram;
}

// Random values with a log-uniform distribution.
std::vector<std::uint64_t> random_values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0, 36);
  std::vector<std::uint64_t> values;
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<std::uint64_t>(std::exp2(exponent(random)));
    values.push_back(std::min(value, Histogram::kMax));
  }
  return values;
}

// The percentile from a sorted list: the smallest value that `share` of all values do not exceed.
std::uint64_t exact_percentile(std::vector<std::uint64_t> values, double share) {
  std::sort(values.begin(), values.end());
  std::size_t rank = 1;
  while (static_cast<double>(rank) < share * static_cast<double>(values.size()) * (1 - 1e-15)) {
    ++rank;
  }
  return values[rank - 1];
}

TEST(Histogram, WithoutValuesIsZero) {
  const Histogram nothing;
  EXPECT_EQ(nothing.count(), 0U);
  EXPECT_EQ(nothing.min(), 0U);
  EXPECT_EQ(nothing.max(), 0U);
  EXPECT_EQ(nothing.mean(), 0);
  EXPECT_EQ(nothing.percentile(0.5), 0U);
  EXPECT_TRUE(nothing.buckets().empty());
}

TEST(Histogram, KeepsSmallValuesExactly) {
  const auto histogram = of({0, 1, 2, 1023, 1024, 2047});
  std::vector<std::uint64_t> lows, highs;
  for (const auto& bucket : histogram.buckets()) {
    lows.push_back(bucket.low);
    highs.push_back(bucket.high);
  }
  EXPECT_EQ(lows, (std::vector<std::uint64_t>{0, 1, 2, 1023, 1024, 2047}));
  EXPECT_EQ(highs, lows);
}

TEST(Histogram, HasExactMinimumMaximumAndMean) {
  const auto histogram = of({1'000'001, 77'777'777, 1'000'003});
  EXPECT_EQ(histogram.min(), 1'000'001U);
  EXPECT_EQ(histogram.max(), 77'777'777U);
  EXPECT_DOUBLE_EQ(histogram.mean(), (1'000'001 + 77'777'777 + 1'000'003) / 3.0);
  EXPECT_EQ(of({0}).min(), 0U);
}

TEST(Histogram, ClampsValuesAboveTheMaximum) {
  const auto histogram = of({Histogram::kMax + 1, std::numeric_limits<std::uint64_t>::max(), 5});
  EXPECT_EQ(histogram.count(), 3U);
  EXPECT_EQ(histogram.max(), Histogram::kMax);
  EXPECT_EQ(histogram.percentile(1), Histogram::kMax);
  EXPECT_EQ(histogram.buckets().back().high, Histogram::kMax);
  EXPECT_EQ(histogram.buckets().back().count, 2U);
}

Histogram::Bucket bucket_around(std::uint64_t value) {
  return of({value}).buckets().at(0);
}

TEST(Histogram, HasBucketsWithoutOverlapsAndGaps) {
  auto values = random_values(300, 3);
  for (unsigned bit = 1; bit <= 36; ++bit) {
    values.push_back((std::uint64_t{1} << bit) - 1);
    if (bit < 36) values.push_back(std::uint64_t{1} << bit);
  }
  for (const auto value : values) {
    const auto bucket = bucket_around(value);
    EXPECT_LE(bucket.low, value);
    EXPECT_GE(bucket.high, value);
    EXPECT_LE(static_cast<double>(bucket.high - bucket.low),
              static_cast<double>(bucket.low) * kPrecision);
    EXPECT_EQ(bucket_around(bucket.low).high, bucket.high);
    if (bucket.high < Histogram::kMax) {
      EXPECT_EQ(bucket_around(bucket.high + 1).low, bucket.high + 1);
    }
    if (bucket.low > 0) {
      EXPECT_EQ(bucket_around(bucket.low - 1).high, bucket.low - 1);
    }
  }
}

class PercentilesOfRandomValues : public testing::TestWithParam<std::size_t> {};

TEST_P(PercentilesOfRandomValues, AreWithinThePrecision) {
  const auto values = random_values(GetParam(), 7);
  const auto histogram = of(values);
  ASSERT_EQ(histogram.count(), values.size());
  for (const double share : {0.0, 0.01, 0.07, 0.25, 0.5, 0.9, 0.99, 0.999, 0.9999, 1.0}) {
    const auto exact = exact_percentile(values, share);
    const auto got = histogram.percentile(share);
    EXPECT_GE(got, exact) << share;
    EXPECT_LE(static_cast<double>(got), static_cast<double>(exact) * (1 + kPrecision)) << share;
  }
}

INSTANTIATE_TEST_SUITE_P(Counts, PercentilesOfRandomValues, testing::Values(1, 2, 3, 100, 10'001));

TEST(Histogram, HasNoPercentileAboveItsMaximum) {
  const auto histogram = of({1'000'001});
  EXPECT_EQ(histogram.percentile(0.5), 1'000'001U);
  EXPECT_EQ(histogram.percentile(1), 1'000'001U);
}

TEST(Histogram, UsesTheNearestRank) {
  std::vector<std::uint64_t> values(100);
  std::iota(values.begin(), values.end(), 1);
  const auto histogram = of(values);
  // 0.07 * 100 is a little more than 7 in floating point.
  EXPECT_EQ(histogram.percentile(0.07), 7U);
  EXPECT_EQ(histogram.percentile(0.5), 50U);
  EXPECT_EQ(histogram.percentile(0.501), 51U);
  EXPECT_EQ(histogram.percentile(0.99), 99U);
  EXPECT_EQ(histogram.percentile(0.9901), 100U);
}

TEST(Histogram, ClampsInvalidShares) {
  const auto histogram = of({3, 4, 5});
  EXPECT_EQ(histogram.percentile(-1), 3U);
  EXPECT_EQ(histogram.percentile(std::nan("")), 3U);
  EXPECT_EQ(histogram.percentile(2), 5U);
  EXPECT_EQ(histogram.percentile(std::numeric_limits<double>::infinity()), 5U);
}

TEST(Histogram, MergedEqualsTheHistogramOfAllValues) {
  const auto some = random_values(1000, 1);
  const auto others = random_values(3000, 2);
  auto all = some;
  all.insert(all.end(), others.begin(), others.end());
  auto merged = of(some);
  merged += of(others);
  const auto whole = of(all);
  EXPECT_EQ(merged.count(), whole.count());
  EXPECT_EQ(merged.min(), whole.min());
  EXPECT_EQ(merged.max(), whole.max());
  EXPECT_NEAR(merged.mean(), whole.mean(), whole.mean() * 1e-12);
  for (const double share : {0.0, 0.5, 0.99, 1.0}) {
    EXPECT_EQ(merged.percentile(share), whole.percentile(share)) << share;
  }
}

TEST(Histogram, IsUnchangedByMergingAnEmptyOne) {
  auto histogram = of({10, 20});
  histogram += Histogram();
  EXPECT_EQ(histogram.count(), 2U);
  EXPECT_EQ(histogram.min(), 10U);
  Histogram nothing;
  nothing += histogram;
  EXPECT_EQ(nothing.min(), 10U);
  EXPECT_EQ(nothing.max(), 20U);
}

TEST(Histogram, IsRestoredFromItsBuckets) {
  const auto whole = of({5'000'000, 3, 5'000'001, 3, 40'000});
  const auto restored = Histogram::of(whole.buckets(), whole.min(), whole.max(), whole.mean());
  EXPECT_EQ(restored.count(), 5U);
  EXPECT_EQ(restored.min(), 3U);
  EXPECT_EQ(restored.max(), 5'000'001U);
  EXPECT_DOUBLE_EQ(restored.mean(), whole.mean());
  for (const double share : {0.0, 0.5, 0.61, 0.99, 1.0}) {
    EXPECT_EQ(restored.percentile(share), whole.percentile(share)) << share;
  }
  EXPECT_EQ(Histogram::of({}, 7, 7, 7).max(), 0U);
}

TEST(Histogram, ListsItsBucketsInAscendingOrder) {
  const auto buckets = of({5'000'000, 3, 5'000'001, 3, 3}).buckets();
  ASSERT_EQ(buckets.size(), 2U);
  EXPECT_EQ(buckets[0].count, 3U);
  EXPECT_EQ(buckets[1].count, 2U);
  EXPECT_LE(buckets[1].low, 5'000'000U);
  EXPECT_GE(buckets[1].high, 5'000'001U);
}

}  // namespace
}  // namespace manactl::datapath::histogram_test
