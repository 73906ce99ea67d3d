// SPDX-License-Identifier: MIT
//
// Simulated devices for the tests of a search.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "datapath/analysis/search.h"

namespace manactl::datapath {

// A simulated device and the sender of its packets.
struct Device {
  std::function<double(double rate)> loss = [](double) { return 0.0; };
  double sender = 20e6;  // the highest rate of the sender, in packets per second

  SearchProbe probe(double rate, double seconds) const {
    SearchProbe probe;
    probe.rate = std::min(rate, sender);
    probe.sent = static_cast<std::uint64_t>(std::llround(probe.rate * seconds));
    const double arrive = static_cast<double>(probe.sent) * (1 - loss(probe.rate));
    probe.received = static_cast<std::uint64_t>(std::llround(arrive));
    return probe;
  }
};

// A device that carries `capacity` packets per second and drops the rest.
inline Device step_at(double capacity) {
  Device device;
  device.loss = [capacity](double rate) { return rate <= capacity ? 0 : 1 - capacity / rate; };
  return device;
}

inline SearchPlan plan_for(std::vector<double> losses) {
  SearchPlan plan;
  plan.losses = std::move(losses);
  return plan;
}

inline SearchResult search_of(const Device& device, const SearchPlan& plan = {}) {
  const auto result = search(plan, [&](double rate, double seconds) -> Result<SearchProbe> {
    return device.probe(rate, seconds);
  });
  EXPECT_TRUE(result.has_value());
  return result.value_or(SearchResult{});
}

// Counts the valid trials of full length at a rate.
inline std::size_t final_probes(const SearchResult& result, double load, double seconds) {
  return static_cast<std::size_t>(
      std::count_if(result.probes.begin(), result.probes.end(), [&](const SearchProbe& probe) {
        return probe.load() == load && probe.seconds == seconds && probe.valid;
      }));
}

}  // namespace manactl::datapath
