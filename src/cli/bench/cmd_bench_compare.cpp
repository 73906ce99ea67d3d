// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench/document.h"
#include "cli/bench/html_compare.h"
#include "cli/bench/kept.h"
#include "cli/bench/render_compare.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/output.h"

namespace manactl::cli {
namespace {

constexpr double kChance = 0.05;  // a difference that chance makes more often is none

struct Options {
  std::string before, after;
  double threshold = 0.02;
  std::string place;
  std::optional<Output> output;
};

// What makes two results incomparable.
std::string difference(const BenchDocument& before, const BenchDocument& after) {
  std::vector<std::string> rows;
  for (const auto& [name, one, other] : differences(before.configuration, after.configuration)) {
    rows.push_back(fmt::format("{} {} and {}", name, one, other));
  }
  return join(rows, ", ");
}

Verdict judge(const datapath::Effect& effect, double threshold) {
  if (effect.p >= kChance) return Verdict::same;
  if (effect.change < -threshold && effect.confidence.high < 0) return Verdict::worse;
  if (effect.change > threshold && effect.confidence.low > 0) return Verdict::better;
  return Verdict::same;
}

Exit refuse(Context& context, std::string message) {
  return report_error(context, Error{Errc::invalid, 0, "bench compare: " + std::move(message)});
}

Result<BenchDocument> find(const std::string& word, const Options& options, Context& context) {
  const auto result = find_result(context, options.place, word);
  if (!result) return tl::unexpected<Error>(result.error());
  return comparable(*result, word);
}

void print(Screen& screen, const CompareResult& result, Output output) {
  if (output == Output::html) {
    screen.stream() << html_page(result);
  } else {
    output == Output::json ? json(screen, result) : text(screen, result);
  }
}

Exit run_compare(const Options& options, Context& context) {
  const auto output = output_of(context, options.output);
  if (!output) return refuse(context, output.error().message);
  if (options.after.empty()) return refuse(context, "two results of bench are compared");
  const auto before = find(options.before, options, context);
  if (!before) return refuse(context, before.error().message);
  const auto after = find(options.after, options, context);
  if (!after) return refuse(context, after.error().message);
  const auto differs = difference(*before, *after);
  if (!differs.empty()) return refuse(context, "two different measurements: " + differs);
  const auto effect = datapath::compare(before->rates, after->rates);
  if (!effect) {
    return refuse(context, fmt::format("'{}' moved no packets", printable(options.before, 200)));
  }
  const auto verdict = judge(*effect, options.threshold);
  const CompareResult result{*before,
                             *after,
                             *effect,
                             options.threshold,
                             verdict,
                             verdict == Verdict::worse ? Exit::findings : Exit::ok};
  print(context.out, result, *output);
  return result.exit;
}

}  // namespace

Run add_bench_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  const auto parse = [](std::string_view text) { return parse_text(text, "a result"); };
  add_value(app,
            {"BEFORE", type::kResult, "an id, or what bench --json printed; '-' is standard input"},
            into(options->before, parse));
  add_value(app, {"AFTER", type::kResult, "and once more"}, into(options->after, parse));
  add_value(app,
            {"--threshold", "PERCENT", "smaller differences do not matter (2)"},
            into(options->threshold, parse_share));
  add_output(app, type::kPlainOutput, options->output);
  add_results(app, options->place);
  return [options](Context& context) { return run_compare(*options, context); };
}

}  // namespace manactl::cli
