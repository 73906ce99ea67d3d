// SPDX-License-Identifier: MIT
//
// What really happened: our own counts of handed-over and received packets, joined with the
// device's count of completed, lost and failed ones, read after it was drained.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// One direction of a port. Drivers count only the first few queues one by one.
struct PortCount {
  std::uint64_t packets = 0, errors = 0, missed = 0;
  std::vector<std::uint64_t> queue_packets;
};

struct Settled {
  std::vector<Sample> queues;
  Sample total;
  std::vector<std::string> notes;
};

// `counted` is one sample per queue, counted by us; `port` is nothing when the driver has no
// statistics.
Settled settle(const BenchPlan& plan,
               std::vector<Sample> counted,
               const std::optional<PortCount>& port);

}  // namespace manactl::datapath
