// SPDX-License-Identifier: MIT
//
// Formats the goals, trials and results of a search (bench --find) as text.

#pragma once

#include <string>

#include "datapath/analysis/search.h"

namespace manactl::report {

// "ndr", "pdr=0.5%"
std::string goal_text(double loss);

// "7.81 Mpps", "not found"; "430 to 990 kpps" if other searches may end far apart.
// The digits are those that another search may confirm.
std::string found_rate_text(const datapath::GoalResult& found);

// "7.81 Mpps (7.81 to 7.85 Mpps)": the rate, and the rates at which another search may end; or why
// none was found.
std::string found_text(const datapath::GoalResult& found);

// "ndr, pdr=0.5%"
std::string goals_text(const datapath::SearchResult& search);

// "ndr 7.81 Mpps; pdr=0.5% not found"
std::string search_text(const datapath::SearchResult& search);

// "trial 7 at 998.2 kpps; 0.02 % lost before; ndr 900.0 to 1005 kpps; 12 s left": `number` counts
// the trials from 1; `last` is the trial before, or null.
std::string progress_text(std::size_t number,
                          const datapath::SearchProgress& progress,
                          const datapath::SearchProbe* last);

// "trial 12: 7.812 Mpps for 1.0 s, lost 1,562 packets (0.02 %)"
std::string probe_text(std::size_t number, const datapath::SearchProbe& probe);

}  // namespace manactl::report
