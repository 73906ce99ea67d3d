// SPDX-License-Identifier: MIT
//
// Formats the goals, trials and results of a search (bench --find) as text.

#pragma once

#include <string>

#include "datapath/analysis/search.h"

namespace manactl::report {

// "ndr", "pdr=0.5%"
std::string goal_text(double loss);

// "7.812 Mpps; the loss exceeds the goal at 7.851 Mpps"
std::string found_text(const datapath::GoalResult& found);

// "trial 12: 7.812 Mpps for 1.0 s, lost 1562 packets (0.02 %)"
std::string probe_text(std::size_t number, const datapath::SearchProbe& probe);

}  // namespace manactl::report
