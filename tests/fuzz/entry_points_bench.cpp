// SPDX-License-Identifier: MIT
//
// Fuzzes the reader of bench results. Reading must fail with a one-line error, or return a result
// that can be merged, compared and written in every format.

#include <algorithm>

#include "fuzz/entry_points.h"
#include "fuzz/require.h"
#include "report/bench_json.h"
#include "report/compare.h"
#include "report/html/pages.h"
#include "report/merge.h"
#include "report/series.h"

namespace manactl::fuzz {
namespace {

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

void merge_with_itself(const report::BenchResult& result) {
  const auto merged = report::merge(result, result);
  if (merged) {
    require(!report::merge_html(*merged, "").empty());
  } else {
    require(is_one_line(merged.error().message));
  }
}

void compare_with_itself(const report::BenchResult& result) {
  const auto input = report::compare_input(result, "input");
  const auto compared = report::compare(input, input, 0);
  if (!compared) return require(is_one_line(compared.error().message));
  require(report::differences(input.machine, input.machine).empty());
  require(!report::compare_html(*compared, "").empty());
}

}  // namespace

void bench(std::string_view input) {
  const auto result = report::read_bench(input, "input");
  if (!result) return require(is_one_line(result.error().message));
  const auto written = report::bench_json(*result, 0);
  const auto again = report::read_bench(written, "again");
  require(again.has_value());
  require(report::bench_json(*again, 0) == written);
  require(!report::bench_ndjson(*result, 0).empty() && !report::bench_csv(*result).empty());
  require(!report::bench_html(*result).empty());
  merge_with_itself(*result);
  compare_with_itself(*result);
}

}  // namespace manactl::fuzz
