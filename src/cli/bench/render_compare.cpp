// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "cli/bench/one_screen.h"
#include "cli/bench/render_bench.h"
#include "report/figures.h"

namespace manactl::cli {
namespace {

Color color_of(report::Verdict verdict) {
  if (verdict == report::Verdict::worse) return Color::red;
  return verdict == report::Verdict::better ? Color::green : Color::bold;
}

std::string side(const report::CompareInput& input) {
  const auto rate = datapath::estimate(input.rates);
  return fmt::format("{}, {} {}{}: {}",
                     report::rate_text(input),
                     rate.count,
                     rate.count == 1 ? "trial" : "trials",
                     input.noisy ? ", noisy" : "",
                     printable(input.name));
}

std::string change_text(const report::CompareResult& result) {
  auto text = fmt::format("{:+.2f} %", result.change * report::kPercent);
  if (const auto& evidence = result.evidence) {
    text += fmt::format(" (95 % CI: {:+.2f} to {:+.2f}), p = {:.3g}",
                        evidence->confidence.low * report::kPercent,
                        evidence->confidence.high * report::kPercent,
                        evidence->p);
  }
  return text + fmt::format(", threshold {:g} %", result.threshold * report::kPercent);
}

std::string known_loss(const report::CompareInput& input) {
  return input.loss ? report::loss_text(*input.loss) : "unknown";
}

}  // namespace

void print_verdict(Screen& screen, report::Verdict verdict) {
  screen.stream() << screen.paint(color_of(verdict), name_of(verdict)) << '\n';
}

void print_text(Screen& screen, const report::CompareResult& result) {
  print_verdict(screen, result.verdict);
  report::Rows rows = {{"before", side(result.before)},
                       {"after", side(result.after)},
                       {"change", change_text(result)}};
  if (result.before.loss || result.after.loss) {
    rows.emplace_back("lost",
                      fmt::format("{} before, {} after{}",
                                  known_loss(result.before),
                                  known_loss(result.after),
                                  result.loss ? fmt::format(": {}", name_of(*result.loss)) : ""));
  }
  for (const auto& [name, before, after] :
       report::differences(result.before.machine, result.after.machine)) {
    rows.emplace_back(
        "differs", fmt::format("{}: {} before, {} after", report::label_of(name), before, after));
  }
  print_rows(screen, rows);
  for (const auto& remark : report::remarks_on(result)) print_paragraph(screen, "Note: " + remark);
}

}  // namespace manactl::cli
