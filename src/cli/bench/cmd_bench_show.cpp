// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench/exit.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/saved_results.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/result_store.h"

namespace manactl::cli {
namespace {

struct BenchShowOptions {
  std::string result = std::string(report::kLatest);
  std::string results;  // directory
  std::optional<Output> output;
};

// Returns the error for a result without series. Most figures are computed from the series.
Error no_series(const std::string& word, const report::BenchResult& result) {
  return {Errc::invalid,
          0,
          fmt::format("'{}' has no 'series' (the last event of -o ndjson omits them); use {}",
                      printable(word),
                      result.id.empty() ? "a document of bench -o json"
                                        : "bench show " + printable(result.id))};
}

Exit run_show(const BenchShowOptions& options, Context& context) {
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, "bench show", output.error());
  const auto& word = options.result;
  confine_to_results(context, options.results, {word});
  const auto result = find_result(context, options.results, word);
  if (!result) return refuse(context, "bench show", result.error());
  if (result->report.trials.front().intervals.empty())
    return refuse(context, "bench show", no_series(word, *result));
  print(context, *result, *output);
  return Exit::ok;
}

}  // namespace

CommandAction add_bench_show(CLI::App& app) {
  auto options = std::make_shared<BenchShowOptions>();
  add_value(app,
            {"RESULT", type::kResult, "a saved result, or a file (default: the newest result)"},
            store_in(options->result,
                     [](std::string_view text) { return parse_text(text, "a result"); }));
  add_output(app, type::kOutput, options->output);
  add_results_option(app, options->results);
  return [options](Context& context) { return run_show(*options, context); };
}

}  // namespace manactl::cli
