// SPDX-License-Identifier: MIT
#include "datapath/lisa.h"

#include <algorithm>
#include <numeric>

namespace manactl::datapath {

namespace {

std::vector<double> rates_of(const Trial& trial, Count Sample::*direction) {
  std::vector<double> rates;
  for (const auto& interval : trial.intervals) {
    const auto packets = (interval.total.*direction).packets;
    if (interval.total.seconds <= 0 || (rates.empty() && packets == 0)) continue;
    rates.push_back(static_cast<double>(packets) / interval.total.seconds);
  }
  if (rates.size() < 3) return {};
  return {rates.begin() + 1, rates.end() - 1};
}

}  // namespace

std::optional<LisaRate> lisa_rate(const std::vector<Trial>& trials, Count Sample::*direction) {
  std::vector<double> all;
  for (const auto& trial : trials) {
    const auto rates = rates_of(trial, direction);
    all.insert(all.end(), rates.begin(), rates.end());
  }
  if (all.empty()) return std::nullopt;
  const auto [least, most] = std::minmax_element(all.begin(), all.end());
  const auto sum = std::accumulate(all.begin(), all.end(), 0.0);
  return LisaRate{*most, sum / static_cast<double>(all.size()), *least};
}

}  // namespace manactl::datapath
