// SPDX-License-Identifier: MIT
//
// Prints the output of the bench commands: render_bench.cpp (a result; --list-drivers),
// render_ab.cpp, render_compare.cpp, render_list.cpp and render_merge.cpp.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/output.h"
#include "report/ab.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/result.h"

namespace manactl::cli {

// Prints "worse", in the color of the verdict.
void print_verdict(Screen& screen, report::Verdict verdict);

void print(Context& context, const report::BenchResult& result, Output output);
void print_text(Screen& screen, const report::AbResult& result, int verbosity);
void print_text(Screen& screen, const report::CompareResult& result);
void print_text(Screen& screen, const report::MergeResult& result);

// The figures of one result. The result itself may be large, so the list does not hold it.
struct ListedResult {
  std::string id;
  std::string error;  // why the result cannot be read; the figures are then empty
  std::string label, started, mode, device, engine;
  unsigned queues = 0;
  std::optional<double> frame_bytes;
  std::size_t trials = 0;
  // Packets per second: the result of the search for `goal`, or the rate of the steady intervals.
  std::optional<double> rate;
  std::string rate_text;  // "14.210 Mpps", "14.2 Mpps*" if it includes the start, "ndr 7.81 Mpps"
  std::string goal;       // "ndr"; empty without a search
  bool noisy = false, interrupted = false;
};

ListedResult listed(std::string id, const Result<report::BenchResult>& result);

// There must be a row.
void print_list_text(Screen& screen, const std::vector<ListedResult>& rows);

// Prints the document of schemas/bench-list.schema.json.
void print_list_json(Screen& screen, const std::vector<ListedResult>& rows);

// The output of --list-drivers.
void print_drivers_text(Screen& screen, const datapath::EngineInfo& engine);
void print_drivers_json(Screen& screen, const datapath::EngineInfo& engine);

}  // namespace manactl::cli
