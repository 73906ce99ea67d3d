// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/bench/exit.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/saved_results.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/version.h"
#include "report/compare.h"
#include "report/html/pages.h"

namespace manactl::cli {
namespace {

struct BenchCompareOptions {
  std::string before, after;
  double threshold = 0.02;
  bool strict = false;
  std::string results;  // directory
  std::optional<Output> output;
};

Result<report::CompareInput> find(const std::string& word,
                                  const BenchCompareOptions& options,
                                  Context& context) {
  const auto result = find_result(context, options.results, word);
  if (!result) return tl::unexpected<Error>(result.error());
  const bool is_alias = !names_a_file(word) && word != result->id;
  return report::compare_input(*result, is_alias ? fmt::format("{} ({})", word, result->id) : word);
}

void print(Screen& screen, const report::CompareResult& result, Output output, Exit exit) {
  if (output == Output::html) {
    screen.stream() << report::compare_html(result, version());
  } else if (output == Output::json) {
    screen.stream() << report::compare_json(result, version(), static_cast<int>(exit));
  } else {
    print_text(screen, result);
  }
}

Exit run_compare(const BenchCompareOptions& options, Context& context) {
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, "bench compare", output.error());
  if (options.after.empty()) {
    const auto* missing = options.before.empty()
                              ? "two results are needed; see 'manactl bench list'"
                              : "a second result is missing";
    return refuse(context, "bench compare", Error{Errc::invalid, 0, missing});
  }
  confine_to_results(context, options.results, {options.before, options.after});
  const auto before = find(options.before, options, context);
  if (!before) return refuse(context, "bench compare", before.error());
  const auto after = find(options.after, options, context);
  if (!after) return refuse(context, "bench compare", after.error());
  const auto result = report::compare(*before, *after, options.threshold);
  if (!result) return refuse(context, "bench compare", result.error());
  const auto exit = exit_of(result->verdict, options.strict);
  print(context.out, *result, *output, exit);
  return exit;
}

}  // namespace

CommandAction add_bench_compare(CLI::App& app) {
  auto options = std::make_shared<BenchCompareOptions>();
  const auto parse = [](std::string_view text) { return parse_text(text, "a result"); };
  add_value(app,
            {"BEFORE", type::kResult, "a saved result, 'latest', or a file ('-': standard input)"},
            store_in(options->before, parse));
  add_value(app,
            {"AFTER", type::kResult, "the result to compare with BEFORE"},
            store_in(options->after, parse));
  add_value(app,
            {"--threshold", "PERCENT", "ignore smaller differences (default: 2)"},
            store_in(options->threshold, parse_share));
  add_flag(app, "--strict", options->strict, "exit with 1 also if the comparison is inconclusive");
  add_output(app, type::kDocumentOutput, options->output);
  add_results_option(app, options->results);
  return [options](Context& context) { return run_compare(*options, context); };
}

}  // namespace manactl::cli
