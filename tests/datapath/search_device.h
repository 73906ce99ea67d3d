// SPDX-License-Identifier: MIT
//
// Devices for the tests of a search, and what they ask of its result.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

#include "datapath/search.h"

namespace manactl::datapath {

// A device, and the sender in front of it.
struct Device {
  std::function<double(double rate)> loss = [](double) { return 0.0; };
  double sender = 20e6;  // packets per second that it can send

  Probe probe(double rate, double seconds) const {
    Probe probe;
    probe.rate = std::min(rate, sender);
    probe.sent = static_cast<std::uint64_t>(std::llround(probe.rate * seconds));
    const double arrive = static_cast<double>(probe.sent) * (1 - loss(probe.rate));
    probe.received = static_cast<std::uint64_t>(std::llround(arrive));
    return probe;
  }
};

// Carries `capacity` packets per second and drops the rest.
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
  const auto result = search(plan, [&](double rate, double seconds) -> Result<Probe> {
    return device.probe(rate, seconds);
  });
  EXPECT_TRUE(result.has_value());
  return result.value_or(SearchResult{});
}

// Trials of full length at a rate.
inline std::size_t final_probes(const SearchResult& result, double load, double seconds) {
  return static_cast<std::size_t>(
      std::count_if(result.probes.begin(), result.probes.end(), [&](const Probe& probe) {
        return probe.load() == load && probe.seconds == seconds && probe.valid;
      }));
}

}  // namespace manactl::datapath
