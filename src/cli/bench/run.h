// SPDX-License-Identifier: MIT
//
// Runs a plan, reports progress, adds the machine's state to the result, saves and prints it.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.h"
#include "datapath/engines.h"
#include "report/result.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct RunOptions {
  std::uint16_t repeat = 1;
  std::vector<double> losses;  // goals of --find, shares of lost packets; empty: no search
  bool allow_synthetic = false;
  std::optional<Output> output;
  std::string until_deleted;  // path of --until-deleted; empty: the option was not given
  bool no_save = false;
  std::string label;    // name for the saved result; may be empty
  std::string results;  // directory of saved results; empty: Context::results
};

void add_run_options(CLI::App& app, RunOptions& options);

// The engine of a run, and what the result records about it.
struct RunSetting {
  const datapath::EngineRow* engine = nullptr;
  bool simulated = false;  // the run uses the software adapter
  std::string note;        // first note of the result; may be empty
};

// Fails with Errc::invalid if the plan or the combination of options is not valid.
Result<> check_run(const datapath::BenchPlan& plan, const RunOptions& options);

// Runs the plan, saves the result and prints it.
Exit run_plan(Context& context,
              const datapath::BenchPlan& plan,
              const RunOptions& options,
              const RunSetting& setting);

}  // namespace manactl::cli
