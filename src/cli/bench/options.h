// SPDX-License-Identifier: MIT
//
// Options of bench that set fields of the plan.

#pragma once

#include <optional>
#include <string>

#include "datapath/bench.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// Adds all options of the plan except those that select devices. `plan` and `interval`, which
// --interval sets, must outlive the parsing.
void add_plan_options(CLI::App& app, datapath::BenchPlan& plan, std::optional<double>& interval);

// Replaces the field names of the plan in a note or an error message with the options that set
// them.
std::string with_options(std::string text);
Error with_options(Error error);

// Sets the defaults that depend on other options: the smallest frame size of the mode, and the
// interval for the duration unless `interval` is given. Call it after parsing.
void choose_defaults(datapath::BenchPlan& plan, const std::optional<double>& interval);

}  // namespace manactl::cli
