// SPDX-License-Identifier: MIT
#include "datapath/analysis/pairs.h"

#include <algorithm>
#include <cmath>

namespace manactl::datapath {

namespace {

// Returns how many of the sorted Walsh averages of n differences lie below the 95 % confidence
// interval; as many lie above it. This is the largest w with P(W <= w) <= 2.5 %, plus 1. W is the
// sum of the ranks of the positive differences.
std::size_t means_to_cut(std::size_t n) {
  constexpr double kTail = 0.025;
  // After step i, chance[w] is the probability that the ranks 1 to i with a positive sign sum to w.
  std::vector<double> chance(n * (n + 1) / 2 + 1, 0);
  chance[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t w = chance.size(); w-- > 0;) {
      chance[w] = (chance[w] + (w >= rank ? chance[w - rank] : 0)) / 2;
    }
  }
  std::size_t cut = 0;
  for (double below = chance[0]; below <= kTail; below += chance[cut]) ++cut;
  return cut;
}

}  // namespace

std::optional<PairedEffect> compare_pairs(const std::vector<double>& first,
                                          const std::vector<double>& second) {
  const auto is_positive = [](double value) { return value > 0; };
  if (first.empty() || first.size() != second.size() ||
      !std::all_of(first.begin(), first.end(), is_positive) ||
      !std::all_of(second.begin(), second.end(), is_positive)) {
    return std::nullopt;
  }
  // The Walsh averages: the means of all pairs of differences, each one with itself included.
  std::vector<double> means;
  for (std::size_t i = 0; i < first.size(); ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      means.push_back((std::log(second[i] / first[i]) + std::log(second[j] / first[j])) / 2);
    }
  }
  std::sort(means.begin(), means.end());
  PairedEffect effect{std::expm1(median(means)), std::nullopt};
  if (first.size() >= kMinPairs) {
    const auto cut = means_to_cut(first.size());
    effect.confidence = Bounds{std::expm1(means[cut - 1]), std::expm1(means[means.size() - cut])};
  }
  return effect;
}

}  // namespace manactl::datapath
