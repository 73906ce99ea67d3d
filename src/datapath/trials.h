// SPDX-License-Identifier: MIT
//
// What stands on top of a session: the trials of a bench.

#pragma once

#include <stop_token>

#include "datapath/bench.h"

namespace manactl::datapath {

// Opens, runs and closes.
Result<BenchReport> run(Engine& engine,
                        const BenchPlan& plan,
                        const std::stop_token& stop,
                        const Progress& progress);

}  // namespace manactl::datapath
