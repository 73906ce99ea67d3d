// SPDX-License-Identifier: MIT
//
// Arithmetic on what packets look like: in which order sizes follow one another, which ports are
// whose, how many packets a rate is.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/bench.h"
#include "datapath/frame.h"
#include "datapath/pace.h"

namespace manactl::datapath {

// The index of the size of each packet of one round, each as often as its share says and spread as
// evenly as whole packets can be.
std::vector<std::uint8_t> size_pattern(const std::vector<SizeShare>& sizes);

// Flows that `queues` queues can have each without using a port twice.
unsigned most_flows(unsigned queues);

// Of the flows of a queue; those of another queue are none of these.
struct PortRange {
  std::uint16_t first = 0, last = 0;
};

PortRange source_ports(unsigned queue, unsigned queues, unsigned flows);

// Of one port. Errc::invalid for a share of a link whose speed is not known (0).
Result<double> packets_per_second(const Rate& rate,
                                  const Traffic& traffic,
                                  std::uint64_t link_mbps);

// Of one of the port's queues, on a clock of so many ticks a second.
Result<Pace> pace_of(const BenchPlan& plan,
                     const TrialPlan& trial,
                     const PortReport& port,
                     double ticks_per_second);

}  // namespace manactl::datapath
