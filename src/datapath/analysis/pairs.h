// SPDX-License-Identifier: MIT
//
// Compares two configurations that were measured in pairs: the two values of a pair follow each
// other closely, so a slow change of the machine affects both and not their ratio.

#pragma once

#include <optional>
#include <vector>

#include "datapath/analysis/statistics.h"

namespace manactl::datapath {

// With fewer pairs, no confidence interval of 95 % exists.
inline constexpr std::size_t kMinPairs = 6;

struct PairedEffect {
  double change = 0;  // typical ratio second / first - 1
  // 95 % confidence interval of the change; absent with fewer than kMinPairs pairs.
  std::optional<Bounds> confidence;
};

// Estimates the ratio as the Hodges-Lehmann median of its logarithms. The interval inverts the
// exact Wilcoxon signed-rank test. nullopt if the series are empty, differ in length, or contain a
// value that is not positive.
std::optional<PairedEffect> compare_pairs(const std::vector<double>& first,
                                          const std::vector<double>& second);

}  // namespace manactl::datapath
