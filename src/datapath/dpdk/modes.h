// SPDX-License-Identifier: MIT
//
// The traffic modes: one row each, in a file of its own.

#pragma once

#include <atomic>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"
#include "datapath/dpdk/instructions.h"
#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

// What the workers of a session share.
struct Team {
  alignas(kOwnLines) std::atomic<Phase> phase = Phase::waiting;
  std::atomic<unsigned> busy = 0;  // workers that have not yet heard of the stop
  std::vector<Lane*> lanes;        // of all of them
  std::int64_t on_the_way = 0;     // packets of earlier trials, which were lost
};

// The queues of one thread.
struct Worker {
  std::vector<Lane*> lanes;
  Team* team = nullptr;
  // All that the worker wrote is seen by whoever sees this; EAL's own hand-shake promises less.
  std::atomic<bool> done = false;
  std::atomic<bool> ready = false;  // it stands at the start
  Instructions instructions;
};

// An rte_lcore function: serves the lanes of its Worker in turn until the phase is stopping.
using Work = int (*)(void* worker);

struct ModeRow {
  Mode mode;
  // Before the first trial: writes the packets of a lane's pool, from `flow` with its first port.
  // Nothing where a mode sends no packets of its own.
  Result<> (*begin)(const BenchPlan& plan, const Flow& flow, Lane& lane);
  Work work;
};

// NOLINTNEXTLINE(readability-identifier-naming): constants, where they are defined
extern const ModeRow kTx, kRx, kTxRx, kFwd, kRtt;

const ModeRow& row_of(Mode mode);

// The `begin` of those that send traffic.
Result<> make_traffic(const BenchPlan& plan, const Flow& flow, Lane& lane);

}  // namespace manactl::datapath::dpdk
