// SPDX-License-Identifier: MIT
//
// The measurement itself: workers busy on their queues while the main thread reads their counters.

#pragma once

#include <stop_token>
#include <vector>

#include "datapath/bench.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/port.h"
#include "datapath/plan.h"

namespace manactl::datapath::dpdk {

struct Measured {
  std::vector<Sample> samples;  // one per interval
  std::vector<Sample> queues;   // counted by the workers; the device's word is not in here
  double cycles_per_packet = 0;
  std::uint64_t dry = 0;  // bursts without packets to send
  bool interrupted = false;
};

// Blocks for the plan's time or until stop is asked. Lane i belongs to placement.worker_cpus[i].
Result<Measured> measure(const BenchPlan& plan,
                         const Placement& placement,
                         std::vector<Lane>& lanes,
                         const Port& port,
                         const std::stop_token& stop,
                         const Progress& progress);

}  // namespace manactl::datapath::dpdk
