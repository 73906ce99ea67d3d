// SPDX-License-Identifier: MIT
//
// Arithmetic on the packets of a plan: the order of their sizes, the source ports of each queue,
// and the pace that a rate requires.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/bench.h"
#include "datapath/traffic/frame.h"
#include "datapath/traffic/pace.h"

namespace manactl::datapath {

// Indexes into `sizes` for a repeating sequence of packets. Each size occurs in proportion to its
// share, as evenly spread as possible.
std::vector<std::uint8_t> size_pattern(const std::vector<SizeShare>& sizes);

// The maximum number of flows per queue, so that no two flows of a port share a source port.
unsigned max_flows(unsigned queues);

struct PortRange {
  std::uint16_t first = 0, last = 0;
};

// Source ports of a queue's flows. No two queues share a port. If the flows of all queues return to
// a NIC with as many receive queues (a power of two), every receive queue gets some of them.
PortRange source_ports(unsigned queue, unsigned queues, unsigned flows);

// The first flow of a queue. `mac` and `ip` are the NIC's, because Azure drops packets from others.
Flow flow_of(const BenchPlan& plan,
             const MacAddress& mac,
             const std::optional<Ipv4Address>& ip,
             unsigned queue);

// Converts the rate of a port. Errc::invalid for a percentage if the link speed is unknown (0).
Result<double> packets_per_second(const Rate& rate,
                                  const Traffic& traffic,
                                  std::uint64_t link_mbps);

// The pace of one queue of the port.
Result<Pace> pace_of(const BenchPlan& plan,
                     const TrialPlan& trial,
                     const PortReport& port,
                     double ticks_per_second);

}  // namespace manactl::datapath
