// SPDX-License-Identifier: MIT
//
// Notes that help to interpret a result, for every engine.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

inline constexpr double kReached = 0.99;  // share of the requested rate that counts as reached

// Packets per second that all ports together should send; 0 if no rate was requested.
double requested_rate(const BenchPlan& plan,
                      const TrialPlan& trial,
                      const std::vector<PortReport>& ports);

// Returns notes on the addresses and the timing of a plan. `physical`: packets pass through a NIC
// of Azure.
std::vector<std::string> traffic_notes(const BenchPlan& plan, bool physical);

// Returns notes on missing packets, receive queues without packets, unanswered requests, and a rate
// below the requested one. Notes use the names of the plan's fields (plan/fields.h).
std::vector<std::string> count_notes(const BenchPlan& plan,
                                     const std::vector<PortReport>& ports,
                                     const Trial& trial);

// Returns the note on bursts that could not be sent, because no packets were free.
std::string empty_pool_note(const BenchPlan& plan,
                            const std::vector<PortReport>& ports,
                            std::uint64_t bursts);

}  // namespace manactl::datapath
