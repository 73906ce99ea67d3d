// SPDX-License-Identifier: MIT
//
// Computes estimates from a series of rates, and tests whether two series differ. Uses medians and
// ranks, because rates on a shared machine are not normally distributed, and one outlier must not
// change the result.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace manactl::datapath {

// The median is the mean of the middle two for an even number of values, and 0 without values.
double median(std::vector<double> values);

struct Bounds {
  double low = 0, high = 0;
};

struct Estimate {
  std::size_t count = 0;
  double median = 0;
  // Two of the values. For any distribution, the true median lies between them with a probability
  // of at least 95 %. Absent with fewer than 6 values.
  std::optional<Bounds> confidence;
  std::optional<double> variation;  // sample standard deviation / mean; needs two values
};

Estimate estimate(const std::vector<double>& values);

// A result with more variation than this is noisy.
constexpr double kNoisy = 0.05;

struct Effect {
  double change = 0;  // median(after) / median(before) - 1
  Bounds confidence;  // 95 % confidence interval from 10,000 bootstrap samples with a fixed seed
  double p = 1;       // p-value of the two-sided Mann-Whitney U test
};

// Compares two series; nullopt if one is empty or the median of `before` is 0.
std::optional<Effect> compare(const std::vector<double>& before, const std::vector<double>& after);

// Two-sided p-value of the Mann-Whitney U test; 1 if a series is empty. Exact for at most 20 values
// per series and no ties; else the normal approximation with corrections for ties and continuity.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace manactl::datapath
