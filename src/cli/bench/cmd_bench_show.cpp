// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench/kept.h"
#include "cli/bench/render_bench.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"

namespace manactl::cli {
namespace {

struct Options {
  std::string result;
  std::string place;
  std::optional<Output> output;
};

Exit refuse(Context& context, const Error& error) {
  return report_error(context, because(error, "bench show").value());
}

// Much of what is shown is made of the series: the rest alone would be told wrongly.
Error no_series(const std::string& word, const BenchResult& result) {
  return {Errc::invalid,
          0,
          fmt::format("'{}' has no 'series', as the last event of -o ndjson; {}",
                      printable(word, 200),
                      result.id.empty() ? "a document of bench -o json has them"
                                        : "try bench show " + printable(result.id, 80))};
}

Exit run_show(const Options& options, Context& context) {
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, output.error());
  auto word = options.result;
  if (word.empty()) {
    const auto ids = kept_ids(context, options.place);
    if (!ids) return refuse(context, ids.error());
    if (ids->empty()) return refuse(context, Error{Errc::invalid, 0, "no result is kept yet"});
    word = ids->front();
  }
  const auto result = find_result(context, options.place, word);
  if (!result) return refuse(context, result.error());
  if (result->report.trials.front().intervals.empty()) return refuse(context, no_series(word, *result));
  print(context, *result, *output);
  return Exit::ok;
}

}  // namespace

Run add_bench_show(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(
      app,
      {"RESULT", type::kResult, "an id of bench list, or a file (the newest that is kept)"},
      into(options->result, [](std::string_view text) { return parse_text(text, "a result"); }));
  add_output(app, type::kOutput, options->output);
  add_results(app, options->place);
  return [options](Context& context) { return run_show(*options, context); };
}

}  // namespace manactl::cli
