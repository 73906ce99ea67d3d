// SPDX-License-Identifier: MIT
//
// What really happened: our own counts of handed-over and received packets, joined with the
// device's count of completed, lost and failed ones, read after it was drained.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// One direction of a port. Drivers count only the first few queues one by one.
struct DirectionCount {
  std::uint64_t packets = 0, errors = 0;
  std::vector<std::uint64_t> queue_packets;
};

struct PortCount {
  DirectionCount tx, rx;
  std::uint64_t rx_missed = 0, rx_no_buffer = 0;
};

// Joins the counts of the ports into the trial, whose queues and total are those that workers
// counted: `queues` of each port, port by port. Nothing for a driver without statistics.
void settle(Mode mode,
            std::size_t queues,
            const std::vector<std::optional<PortCount>>& ports,
            Trial& trial);

}  // namespace manactl::datapath
