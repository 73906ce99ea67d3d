// SPDX-License-Identifier: MIT
//
// Prints the output of the bench commands: render_bench.cpp (a result; --list-drivers),
// render_compare.cpp, render_list.cpp and render_merge.cpp.

#pragma once

#include <string>
#include <vector>

#include "cli/output.h"
#include "report/compare.h"
#include "report/merge.h"
#include "report/result.h"

namespace manactl::cli {

// Prints each row like "  rate                14.210 Mpps".
void print_rows(Screen& screen, const report::Rows& rows);

// Wraps the text to the width of the screen and indents it.
void print_paragraph(Screen& screen, const std::string& text);

void print(Context& context, const report::BenchResult& result, Output output);
void print_text(Screen& screen, const report::CompareResult& result);
void print_text(Screen& screen, const report::MergeResult& result);

struct ListedResult {
  std::string id;
  Result<report::BenchResult> result;  // without its series
};

void print_list_text(Screen& screen, const std::vector<ListedResult>& rows);

// Prints the document of schemas/bench-list.schema.json.
void print_list_json(Screen& screen, const std::vector<ListedResult>& rows);

// The output of --list-drivers.
void print_drivers_text(Screen& screen, const datapath::EngineInfo& engine);
void print_drivers_json(Screen& screen, const datapath::EngineInfo& engine);

}  // namespace manactl::cli
