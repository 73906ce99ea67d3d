// SPDX-License-Identifier: MIT

#include "cli/bench/one_screen.h"
#include "cli/bench/render_bench.h"
#include "report/figures.h"

namespace manactl::cli {
namespace {

std::string side(const report::BenchResult& result, const report::Spread& spread) {
  auto text = fmt::format("{}, {} on {} ({}, path {}), {}",
                          report::end_text(result),
                          name_of(result.plan.mode),
                          report::device_of(result.plan),
                          report::drivers_of(result.report),
                          name_of(result.path.verdict),
                          report::queues_text(result.plan.queues));
  if (result.plan.queues > 1) {
    text += fmt::format(" with {:.1f} to {:.1f} % of the packets each",
                        spread.min * report::kPercent,
                        spread.max * report::kPercent);
  }
  return text;
}

}  // namespace

void print_text(Screen& screen, const report::MergeResult& result) {
  const auto sent = report::total_of(result.sender.report).tx;
  const auto received = report::total_of(result.receiver.report).rx;
  const bool failed = result.exceeds_max_loss();
  screen.stream() << screen.paint(failed ? Color::red : Color::bold, report::verdict_of(result))
                  << '\n';
  print_rows(screen,
             {{"sent", side(result.sender, result.sent_by)},
              {"received", side(result.receiver, result.received_by)},
              {"packets", fmt::format("{} sent, {} received", result.sent, result.received)},
              {"dropped",
               fmt::format("sender: {}; receiver: {}",
                           report::counts_text(
                               {{sent.missed, "attempts rejected"}, {sent.errors, "errors"}}),
                           report::counts_text({{received.missed, "missed"},
                                                {received.no_buffer, "without a buffer"},
                                                {received.errors, "errors"}}))},
              {"overlap", fmt::format("{:.1f} s", result.overlap)}});
  for (const auto& remark : report::remarks_on(result)) print_paragraph(screen, "Note: " + remark);
}

}  // namespace manactl::cli
