// SPDX-License-Identifier: MIT
//
// A run from the first packet to the result: what is told while it goes on, what is noted of the
// machine before and after it, and where the result goes.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/bench/result.h"
#include "cli/output.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct RunOptions {
  std::uint16_t repeat = 1;
  std::vector<double> losses;  // goals of a search; empty: none is made
  bool allow_synthetic = false;
  std::optional<Output> output;
  bool no_save = false;
  std::string place;  // of results
};

void add_run_options(CLI::App& app, RunOptions& options);

// What runs the plan, and what is said of that.
struct RunSetting {
  bool verbs = false;      // the engine of direct verbs, not DPDK
  bool simulated = false;  // on the software adapter
  std::string note;        // the first of the result; may be empty
};

// The plan itself and the options with it. Errc::invalid names the first thing that is wrong.
Result<> check_run(const datapath::BenchPlan& plan, const RunOptions& options);

// Measures, keeps and prints.
Exit run_plan(Context& context,
              const datapath::BenchPlan& plan,
              const RunOptions& options,
              const RunSetting& setting);

}  // namespace manactl::cli
