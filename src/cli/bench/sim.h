// SPDX-License-Identifier: MIT
//
// bench on the software adapter: this program runs itself with the adapter's library in front of
// libibverbs. The library is loaded into that child only.

#pragma once

#include "cli/context.h"
#include "datapath/bench.h"

namespace manactl::cli {

// The port that a child finds on the adapter.
datapath::Nic simulated_nic();

// What a result on the adapter is worth.
inline constexpr std::string_view kSimulatedNote =
    "the software adapter was measured, with its work inside every doorbell: the figures are those "
    "of this machine's CPU and say nothing of MANA hardware";

// Runs the same words in a child on the adapter. stdout is the child's; what the adapter saw comes
// to stderr, and a broken contract is exit 1.
Exit run_on_adapter(const datapath::BenchPlan& plan, Context& context);

}  // namespace manactl::cli
