// SPDX-License-Identifier: MIT
//
// Runs bench on the software adapter: the program starts itself as a child with the adapter's
// library preloaded before libibverbs.

#pragma once

#include "adapter/launch/launch.h"
#include "cli/context.h"
#include "datapath/bench.h"
#include "datapath/engines.h"

namespace manactl::cli {

// Returns the port that the adapter emulates.
datapath::Nic simulated_nic();

// The first note of a result measured on the adapter. The CPU limits the rate unless the plan or
// the adapter's link has a rate. `files` have the environment of this process.
std::string simulated_note(const datapath::BenchPlan& plan, const os::Files& files);

// Names the backend of 'manactl sim' that sends the packets that a mode receives; empty if the
// adapter has this backend, or if its setup is unknown.
std::string backend_note(datapath::Mode mode, const os::Files& files);

// Prints the adapter's report to stderr if the adapter found violations of its contract, or with
// -v. Returns the exit code of bench: 1 for violations if the child had none of its own.
Exit report_adapter(const adapter::Outcome& outcome, Context& context);

// Runs the same command in a child on the adapter, with settings for this engine. The child prints
// the result to stdout, this process the report of the adapter.
Exit run_on_adapter(const datapath::BenchPlan& plan,
                    const datapath::EngineRow& engine,
                    Context& context);

}  // namespace manactl::cli
