// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench/exit.h"
#include "cli/bench/one_screen.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/saved_results.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "report/figures.h"
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

// "Result 20261125-221041-1acd (baseline), measured on vm1 at 2026-11-25T22:10:41.000Z"
std::string origin_of(const report::BenchResult& result) {
  auto text = result.id.empty() ? std::string("Measured") : "Result " + result.id;
  if (!result.id.empty()) {
    if (!result.label.empty()) text += fmt::format(" ({})", result.label);
    text += ", measured";
  }
  if (!result.machine.host.empty()) text += " on " + result.machine.host;
  return text + " at " + report::utc_text(result.trial_starts.front());
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
  if (*output == Output::text) print_paragraph(context.out, origin_of(*result));
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
