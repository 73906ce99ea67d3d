// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench_document.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/render_compare.h"

namespace manactl::cli {
namespace {

constexpr double kPercent = 100;
constexpr double kChance = 0.05;  // a difference that chance makes more often is none

struct Options {
  std::string before, after;
  double threshold = 0.02;
};

// "2", "0.5", "5%", as a share.
Result<double> parse_percent(std::string_view text) {
  const auto value = parse_decimal(text.ends_with('%') ? text.substr(0, text.size() - 1) : text);
  if (value && *value <= kPercent) return *value / kPercent;
  return fail(
      Errc::invalid,
      fmt::format("'{}' is not a share from 0 to 100 (examples: 2, 0.5%)", printable(text, 40)));
}

// What makes two results incomparable.
std::string difference(const BenchDocument& before, const BenchDocument& after) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < before.configuration.size(); ++i) {
    const auto& [name, value] = before.configuration[i];
    const auto& other = after.configuration[i].second;
    if (value != other) rows.push_back(fmt::format("{} {} and {}", name, value, other));
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

Exit run_compare(const Options& options, Context& context) {
  if (options.after.empty()) return refuse(context, "two results of bench --json are compared");
  const auto before = read_bench_document(options.before);
  if (!before) return refuse(context, before.error().message);
  const auto after = read_bench_document(options.after);
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
  context.json ? json(context.out, result) : text(context.out, result);
  return result.exit;
}

}  // namespace

Run add_bench_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  const auto parse_file = [](std::string_view text) { return parse_text(text, "a file"); };
  add_value(app,
            {"BEFORE", type::kFile, "what bench --json printed; '-' is standard input"},
            into(options->before, parse_file));
  add_value(app, {"AFTER", type::kFile, "and once more"}, into(options->after, parse_file));
  add_value(app,
            {"--threshold", "PERCENT", "smaller differences do not matter (2)"},
            into(options->threshold, parse_percent));
  return [options](Context& context) { return run_compare(*options, context); };
}

}  // namespace manactl::cli
