// SPDX-License-Identifier: MIT
//
// The answer of bench, in every form that it has.

#pragma once

#include "cli/bench/result.h"
#include "cli/output.h"

namespace manactl::cli {

void print(Context& context, const BenchResult& result, Output output);

// For people.
void text(Screen& screen, const BenchResult& result, int verbosity);

// What --list-drivers prints.
void drivers_text(Screen& screen, const datapath::EngineInfo& engine);
void drivers_json(Screen& screen, const datapath::EngineInfo& engine);

}  // namespace manactl::cli
