// SPDX-License-Identifier: MIT
//
// What a reader of the figures has to know, whichever engine made them.

#pragma once

#include <string>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// On what the plan sends and how it is timed. `physical`: it goes through a NIC of Azure.
std::vector<std::string> traffic_notes(const BenchPlan& plan, bool physical);

// On what a trial did not do: nothing moved, requests without answers, less than the rate left.
std::vector<std::string> count_notes(const BenchPlan& plan,
                                     const std::vector<PortReport>& ports,
                                     const Trial& trial);

}  // namespace manactl::datapath
