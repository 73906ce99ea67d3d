// SPDX-License-Identifier: MIT
//
// Runs the two commands of bench ab in turns: A B, B A, A B, ... Each run is a process of its own,
// because DPDK can be initialized only once in a process.

#pragma once

#include <optional>

#include "cli/context.h"
#include "report/ab.h"

namespace manactl::cli {

// Adds rounds to the result until it is finished or a signal arrives. Returns an exit code if a run
// failed, after printing the error.
std::optional<Exit> run_rounds(Context& context, report::AbResult& result);

}  // namespace manactl::cli
