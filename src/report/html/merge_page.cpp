// SPDX-License-Identifier: MIT

#include <algorithm>
#include <limits>

#include "report/figures.h"
#include "report/html/elements.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/search_text.h"

namespace manactl::report {
namespace {

using datapath::Count;
using datapath::Sample;

// The sender or the receiver, and the direction that it measures.
struct End {
  std::string_view name;  // "sent", "received"
  const BenchResult& result;
  const Spread& spread;
  Count Sample::* direction;
};

// Returns the rates of one machine over time. Its wall clock gives the start of each trial.
HtmlSeries series_of(const End& end, double start) {
  HtmlSeries series{std::string(end.name), {}};
  const auto& trials = end.result.report.trials;
  const auto& starts = end.result.trial_starts;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    double now = starts.at(std::min(i, starts.size() - 1)) - start;
    for (const auto& interval : trials[i].intervals) {
      now += interval.total.seconds;
      series.points.push_back(
          {now,
           interval.absent ? std::numeric_limits<double>::quiet_NaN()
                           : per_second(interval.total.*end.direction, interval.total.seconds)});
    }
  }
  return series;
}

std::string rate_or_unknown(const BenchResult& result) {
  if (result.search) return search_text(*result.search);
  if (!rate_of(result)) return "unknown";
  const auto rate = median_text(result.summary.rate);
  return includes_start(result) ? fmt::format("{}, {}", rate, kIncludingStart) : rate;
}

std::string known_or_dash(const datapath::ReportedCount& count) {
  return count ? grouped(*count) : "-";
}

std::vector<std::string> end_row(const End& end) {
  const auto& result = end.result;
  const auto total = total_of(result.report);
  const auto& count = total.*end.direction;
  return {
      std::string(end.name),
      fmt::format("{} on {}", name_of(result.plan.mode), device_of(result.plan)),
      drivers_of(result.report),
      std::string(name_of(result.path.verdict)),
      rate_or_unknown(result),
      grouped(count.packets),
      known_or_dash(count.missed),
      known_or_dash(count.no_buffer),
      known_or_dash(count.errors),
      fmt::format("{:.1f} % to {:.1f} %", end.spread.min * kPercent, end.spread.max * kPercent)};
}

HtmlTable ends_table(const End& sender, const End& receiver) {
  return {"Both ends",
          {"direction",
           "device",
           "driver",
           "data path",
           "rate",
           "packets",
           "missed",
           "no buffer",
           "errors",
           "share per queue"},
          {end_row(sender), end_row(receiver)}};
}

HtmlTable queues_table(const End& sender, const End& receiver) {
  HtmlTable table{"Queues", {"queue", "sent", "received"}, {}};
  const auto sent = queues_of(sender.result.report);
  const auto received = queues_of(receiver.result.report);
  for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
    table.rows.push_back({fmt::format("{}", i),
                          i < sent.size() ? grouped(sent[i].tx.packets) : "-",
                          i < received.size() ? grouped(received[i].rx.packets) : "-"});
  }
  return table;
}

void add_warnings_and_notes(const End& end, HtmlReport& page) {
  const auto& result = end.result;
  if (result.summary.noisy()) page.warnings.push_back(fmt::format("Noisy: {} rate", end.name));
  if (result.path.verdict == datapath::Path::synthetic) {
    page.warnings.push_back(
        fmt::format("The {} packets took the synthetic path, not the VF", end.name));
  }
  for (const auto& note : notes_on(result)) {
    page.notes.push_back(fmt::format("{}: {}", end.name, note));
  }
}

}  // namespace

std::string merge_html(const MergeResult& merged, std::string_view tool) {
  const auto& source = merged.sender;
  const auto& sink = merged.receiver;
  const End sender{"sent", source, merged.sent_by, &Sample::tx};
  const End receiver{"received", sink, merged.received_by, &Sample::rx};
  const auto start = std::min(source.trial_starts.front(), sink.trial_starts.front());
  HtmlReport page;
  page.title = verdict_of(merged);
  page.subtitle = fmt::format("from {} to {}", device_of(source.plan), device_of(sink.plan));
  page.warnings = remarks_on(merged);
  page.figures = {{"packet loss", loss_of(merged)},
                  {"sent", rate_or_unknown(source)},
                  {"received", rate_or_unknown(sink)},
                  {"overlap", fmt::format("{:.1f} s", merged.overlap)}};
  page.series = {series_of(sender, start), series_of(receiver, start)};
  page.tables = {ends_table(sender, receiver), queues_table(sender, receiver)};
  page.configuration = configuration_of(source);
  for (const auto& end : {sender, receiver}) {
    add_warnings_and_notes(end, page);
    const auto& machine = end.result.machine;
    page.environment.emplace_back(fmt::format("{} by", end.name),
                                  fmt::format("{}, {}", machine.cpu, machine.kernel));
  }
  page.footer = fmt::format("manactl {}, {}", tool, utc_text(start));
  return html_page(page);
}

}  // namespace manactl::report
