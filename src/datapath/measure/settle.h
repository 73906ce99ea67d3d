// SPDX-License-Identifier: MIT
//
// The final counts of a trial: the workers' counts of posted and received packets, corrected by the
// device's counts of completed, lost and failed ones. Device counts are read after draining.

#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// Device counts of a port in one direction; `queue_packets` may have only the first few queues.
struct DirectionCount {
  std::uint64_t packets = 0, errors = 0;
  std::vector<std::uint64_t> queue_packets;
};

struct PortCount {
  DirectionCount tx, rx;
  ReportedCount rx_missed = 0, rx_no_buffer = 0;
  bool is_reset = false;  // the driver reset its counters during the trial
};

// Sets the losses and errors in the directions of the mode; empties them without `port`.
void set_device_counts(Mode mode, const std::optional<PortCount>& port, Sample& total);

// Corrects the queues and the total of a trial, which hold the workers' counts. `ports` has the
// counts of each port, or nullopt if its driver has no statistics; each port has `queues` queues.
void settle(Mode mode,
            std::size_t queues,
            const std::vector<std::optional<PortCount>>& ports,
            Trial& trial);

}  // namespace manactl::datapath
