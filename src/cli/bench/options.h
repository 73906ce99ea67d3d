// SPDX-License-Identifier: MIT
//
// The options of bench that say what to measure.

#pragma once

#include "datapath/bench.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// All of the plan but its devices. `plan` outlives the parsing.
void add_plan_options(CLI::App& app, datapath::BenchPlan& plan);

// After the parsing: frames as small as the mode allows, where no size was given.
void choose_sizes(datapath::BenchPlan& plan);

}  // namespace manactl::cli
