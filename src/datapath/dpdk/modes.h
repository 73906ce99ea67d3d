// SPDX-License-Identifier: MIT
//
// The burst functions of the traffic modes. mode_<name>.cpp defines the row of a mode.

#pragma once

#include <array>

#include "base/result.h"
#include "datapath/bench.h"
#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

struct ModeBursts {
  Mode mode;
  // Writes the packets of a lane's pool before the first trial, starting with `flow`. Null if the
  // mode does not generate packets.
  Result<> (*prepare)(const BenchPlan& plan, const Flow& flow, Lane& lane);
  Work work;
};

// NOLINTNEXTLINE(readability-identifier-naming): constants that are defined elsewhere
extern const ModeBursts kTx, kRx, kTxRx, kFwd, kRtt;

inline constexpr std::array kModeBursts = {&kTx, &kRx, &kTxRx, &kFwd, &kRtt};

// Null if the engine does not support the mode.
const ModeBursts* find_bursts(Mode mode);

// The `prepare` function of modes that generate packets.
Result<> make_traffic(const BenchPlan& plan, const Flow& flow, Lane& lane);

}  // namespace manactl::datapath::dpdk
