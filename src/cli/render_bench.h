// SPDX-License-Identifier: MIT
//
// The answer of bench, as text for people and JSON for programs.

#pragma once

#include <string>

#include "cli/context.h"
#include "datapath/bench.h"
#include "datapath/summary.h"

namespace manactl::cli {

struct BenchResult {
  const datapath::BenchPlan& plan;
  const datapath::BenchReport& report;
  datapath::Summary summary;
  std::string interface;   // empty for a virtual device
  bool simulated = false;  // on the software adapter
  Exit exit = Exit::ok;
};

void text(Screen& screen, const BenchResult& result, int verbosity);
void json(Screen& screen, const BenchResult& result);  // schemas/bench.schema.json

// "  3 s   14.21 Mpps   7.28 Gbit/s", for progress.
std::string progress_line(datapath::Mode mode, double elapsed, const datapath::Sample& sample);

// What --list-drivers prints.
void drivers_text(Screen& screen, const datapath::EngineInfo& engine);
void drivers_json(Screen& screen, const datapath::EngineInfo& engine);

}  // namespace manactl::cli
