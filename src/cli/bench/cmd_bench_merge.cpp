// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/bench/html_merge.h"
#include "cli/bench/kept.h"
#include "cli/bench/render_merge.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"

namespace manactl::cli {
namespace {

struct Options {
  std::string sender, receiver;
  std::string place;
  std::optional<double> most_loss;
  std::optional<Output> output;
};

Exit refuse(Context& context, const Error& error) {
  return report_error(context, because(error, "bench merge").value());
}

Exit run_merge(const Options& options, Context& context) {
  if (options.receiver.empty()) {
    return refuse(context, Error{Errc::invalid, 0, "the results of both ends are joined"});
  }
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, output.error());
  const auto sender = find_result(context, options.place, options.sender);
  if (!sender) return refuse(context, sender.error());
  const auto receiver = find_result(context, options.place, options.receiver);
  if (!receiver) return refuse(context, receiver.error());
  auto result = merge(*sender, *receiver);
  if (!result) return refuse(context, result.error());
  result->most_loss = options.most_loss;
  if (options.most_loss && result->loss.value_or(1) > *options.most_loss) {
    result->exit = Exit::findings;
  }
  if (*output == Output::html) {
    context.out.stream() << html_page(*result);
  } else {
    *output == Output::json ? json(context.out, *result) : text(context.out, *result);
  }
  return result->exit;
}

}  // namespace

Run add_bench_merge(CLI::App& app) {
  auto options = std::make_shared<Options>();
  const auto parse = [](std::string_view text) { return parse_text(text, "a result"); };
  add_value(app,
            {"SENDER", type::kResult, "an id, or what bench --json printed; '-' is standard input"},
            into(options->sender, parse));
  add_value(
      app, {"RECEIVER", type::kResult, "that of the other end"}, into(options->receiver, parse));
  add_value(app,
            {"--max-loss", "PERCENT", "exit 1 when more is lost, or when that is not known"},
            into(options->most_loss, parse_share));
  add_output(app, type::kPlainOutput, options->output);
  add_results(app, options->place);
  return [options](Context& context) { return run_merge(*options, context); };
}

}  // namespace manactl::cli
