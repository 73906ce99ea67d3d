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

}  // namespace manactl::cli
