// SPDX-License-Identifier: MIT
//
// The rate of a run, told from those intervals that measured steady traffic.

#pragma once

#include <string>
#include <vector>

#include "datapath/statistics.h"
#include "datapath/trial.h"

namespace manactl::datapath {

struct Summary {
  std::vector<double> rates;  // packets per second of the intervals that count, in their order
  Estimate rate;              // of these
  // Intervals: of warm-up and ramp, before the first packet, behind a receiver's last one, first
  // and last, and those that a device was not there for.
  std::size_t left_out = 0;
  std::vector<std::string> why;  // it is noisy; empty when it is not

  bool noisy() const { return !why.empty(); }
};

// What other users of the CPUs took from a run; negative: not known.
struct Disturbance {
  double stolen = -1;  // share of the CPUs' time that the hypervisor gave to others
  double waited = -1;  // share of the workers' time in which other threads had their CPUs
};

// The first and the last interval are left out when three or more stay without them.
Summary summarize(Mode mode,
                  const std::vector<Interval>& intervals,
                  double steady_after,
                  const Disturbance& disturbance);

}  // namespace manactl::datapath
