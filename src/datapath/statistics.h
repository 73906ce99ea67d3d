// SPDX-License-Identifier: MIT
//
// What a series of rates says, and whether two series differ. Order statistics alone: rates of a
// shared machine are not normally distributed, and one bad second must not move the result.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace manactl::datapath {

// The middle of a sorted copy, the mean of the middle two when their number is even; 0 of nothing.
double median(std::vector<double> values);

struct Bounds {
  double low = 0, high = 0;
};

struct Estimate {
  std::size_t count = 0;
  double median = 0;
  // Two of the values, between which the median of the source lies with at least 95 %, whatever its
  // distribution. Fewer than 6 values cannot say that.
  std::optional<Bounds> confidence;
  double variation = 0;  // standard deviation (of a sample) / mean; 0 of fewer than two
};

Estimate estimate(const std::vector<double>& values);

// Beyond this variation a result is called noisy.
constexpr double kNoisy = 0.05;

struct Effect {
  double change = 0;  // median(after) / median(before) - 1
  Bounds confidence;  // 95 %, by 10 000 resamplings with a fixed seed: same in, same out
  double p = 1;       // Mann-Whitney U, two-sided: how likely such a difference is by chance
};

// Nothing when a series is empty or the median before is 0.
std::optional<Effect> compare(const std::vector<double>& before, const std::vector<double>& after);

// Two-sided p of Mann and Whitney's U. Exact without ties while both have at most 20 values, else
// the normal approximation with corrections for ties and continuity. 1 when a series is empty.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace manactl::datapath
