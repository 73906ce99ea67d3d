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
#include "report/html/pages.h"

namespace manactl::cli {
namespace {

struct BenchMergeOptions {
  std::string sender, receiver;
  std::string results;  // directory
  std::optional<double> max_loss;
  std::optional<Output> output;
};

Exit run_merge(const BenchMergeOptions& options, Context& context) {
  if (options.receiver.empty()) {
    return refuse(
        context, "bench merge", Error{Errc::invalid, 0, "the result of the receiver is missing"});
  }
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, "bench merge", output.error());
  confine_to_results(context, options.results, {options.sender, options.receiver});
  const auto sender = find_result(context, options.results, options.sender);
  if (!sender) return refuse(context, "bench merge", sender.error());
  const auto receiver = find_result(context, options.results, options.receiver);
  if (!receiver) return refuse(context, "bench merge", receiver.error());
  auto result = report::merge(*sender, *receiver);
  if (!result) return refuse(context, "bench merge", result.error());
  result->max_loss = options.max_loss;
  auto& out = context.out;
  if (*output == Output::html) {
    out.stream() << report::merge_html(*result, version());
  } else if (*output == Output::json) {
    out.stream() << report::merge_json(*result, version(), exit_code_of(*result));
  } else {
    print_text(out, *result);
  }
  return exit_of(*result);
}

}  // namespace

CommandAction add_bench_merge(CLI::App& app) {
  auto options = std::make_shared<BenchMergeOptions>();
  const auto parse = [](std::string_view text) { return parse_text(text, "a result"); };
  add_value(app,
            {"SENDER", type::kResult, "a saved result, 'latest', or a file ('-': standard input)"},
            store_in(options->sender, parse));
  add_value(app,
            {"RECEIVER", type::kResult, "the result of the other end"},
            store_in(options->receiver, parse));
  add_value(app,
            {"--max-loss", "PERCENT", "exit with 1 if the loss is higher or unknown"},
            store_in(options->max_loss, parse_share));
  add_output(app, type::kDocumentOutput, options->output);
  add_results_option(app, options->results);
  return [options](Context& context) { return run_merge(*options, context); };
}

}  // namespace manactl::cli
