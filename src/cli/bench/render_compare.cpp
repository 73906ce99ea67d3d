// SPDX-License-Identifier: MIT

#include "base/text.h"
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
  return fmt::format("{}, {} rates{}: {}",
                     report::estimate_text(rate),
                     rate.count,
                     input.noisy ? ", noisy" : "",
                     printable(input.name));
}

}  // namespace

void print_text(Screen& screen, const report::CompareResult& result) {
  const auto& effect = result.effect;
  screen.stream() << screen.paint(color_of(result.verdict), std::string(name_of(result.verdict)))
                  << '\n';
  report::Rows rows = {
      {"before", side(result.before)},
      {"after", side(result.after)},
      {"change",
       fmt::format("{:+.2f} % (95 % CI: {:+.2f} to {:+.2f}), p = {:.3g}, threshold {:g} %",
                   effect.change * report::kPercent,
                   effect.confidence.low * report::kPercent,
                   effect.confidence.high * report::kPercent,
                   effect.p,
                   result.threshold * report::kPercent)}};
  for (const auto& [name, before, after] :
       report::differences(result.before.machine, result.after.machine)) {
    rows.emplace_back("differs", fmt::format("{}: {} before, {} after", name, before, after));
  }
  print_rows(screen, rows);
}

}  // namespace manactl::cli
