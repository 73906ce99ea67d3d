// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "cli/bench/one_screen.h"
#include "cli/bench/render_bench.h"
#include "report/figures.h"

namespace manactl::cli {
namespace {

using report::Metric;

std::string value_text(Metric metric, double value) {
  if (metric == Metric::rate) return report::pps_text(value);
  if (metric == Metric::delivered) return fmt::format("{:.4g} %", value * report::kPercent);
  if (metric == Metric::cpu_time) return fmt::format("{:.2f} ns per packet", value);
  return fmt::format("{:.1f} per packet", value);
}

std::string_view label_of(Metric metric) {
  return metric == Metric::cpu_time ? "CPU time" : word_of(report::kMetrics, metric);
}

std::string effect_text(const report::AbEffect& found) {
  const auto& [change, bounds] = found.effect;
  auto text = fmt::format("A {}, B {}; median change from A to B in a round: {:+.2f} %",
                          value_text(found.metric, found.a),
                          value_text(found.metric, found.b),
                          change * report::kPercent);
  if (bounds) {
    text += fmt::format(" (95 % CI: {:+.2f} to {:+.2f})",
                        bounds->low * report::kPercent,
                        bounds->high * report::kPercent);
  }
  return text;
}

}  // namespace

void print_text(Screen& screen, const report::AbResult& result, int verbosity) {
  const auto& plan = result.plan;
  print_verdict(screen, report::verdict_of(result));
  Body body;
  body.other_rows = 2;  // the note after the first round, and the verdict
  auto& rows = body.rows;
  rows = {{"A", shortened(join(result.a.command, " "), verbosity)},
          {"B", shortened(join(result.b.command, " "), verbosity)}};
  for (const auto& found : report::effects_of(result)) {
    rows.emplace_back(label_of(found.metric), effect_text(found));
  }
  rows.emplace_back("rounds",
                    fmt::format("{} of at most {}, metric {}, threshold {:g} %, precision {:g} %",
                                result.rounds(),
                                plan.max_rounds,
                                word_of(report::kMetrics, plan.metric),
                                plan.threshold * report::kPercent,
                                plan.precision * report::kPercent));
  for (const auto& [name, a, b] : report::differences(result)) {
    rows.emplace_back("differs", fmt::format("{}: {} in A, {} in B", report::label_of(name), a, b));
  }
  if (result.stop_signal != 0) body.notes.emplace_back("Interrupted");
  for (const auto& remark : report::remarks_on(result)) body.notes.push_back("Note: " + remark);
  print_body(screen, body, verbosity);
}

}  // namespace manactl::cli
