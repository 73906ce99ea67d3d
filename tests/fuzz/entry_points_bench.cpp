// SPDX-License-Identifier: MIT
//
// A result of bench that somebody changed: it is refused in one line, or everything that is made of
// results can be made of it.

#include <algorithm>
#include <cstdlib>

#include "cli/bench/document.h"
#include "cli/bench/html.h"
#include "cli/bench/html_compare.h"
#include "cli/bench/html_merge.h"
#include "cli/bench/json.h"
#include "cli/bench/merge.h"
#include "cli/bench/reader.h"
#include "cli/bench/series.h"
#include "fuzz/entry_points.h"

namespace manactl::fuzz {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

bool is_one_line(std::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
  });
}

void merge_with_itself(const cli::BenchResult& result) {
  const auto merged = cli::merge(result, result);
  if (merged) {
    require(!cli::html_page(*merged).empty());
  } else {
    require(is_one_line(merged.error().message));
  }
}

void compare_with_itself(const cli::BenchResult& result) {
  const auto document = cli::comparable(result, "input");
  if (!document) return require(is_one_line(document.error().message));
  const auto effect = datapath::compare(document->rates, document->rates);
  if (!effect) return;
  require(cli::differences(document->machine, document->machine).empty());
  require(!cli::html_page(cli::CompareResult{
                              *document, *document, *effect, 0, cli::Verdict::same, cli::Exit::ok})
               .empty());
}

}  // namespace

void bench(std::string_view input) {
  const auto result = cli::read_bench(input, "input");
  if (!result) return require(is_one_line(result.error().message));
  const auto written = cli::bench_json(*result);
  const auto again = cli::read_bench(written, "again");
  require(again.has_value());
  require(cli::bench_json(*again) == written);
  require(!cli::bench_ndjson(*result).empty() && !cli::bench_csv(*result).empty());
  require(!cli::bench_html(*result).empty());
  merge_with_itself(*result);
  compare_with_itself(*result);
}

}  // namespace manactl::fuzz
