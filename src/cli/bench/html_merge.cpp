// SPDX-License-Identifier: MIT

#include "cli/bench/html_merge.h"

#include <algorithm>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/bench/html_report.h"
#include "cli/bench/html_text.h"
#include "cli/bench/render_merge.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

using datapath::Count;
using datapath::Sample;

// One end, and the direction that it is here for.
struct End {
  std::string_view name;  // "sent"
  const BenchResult& result;
  const Spread& spread;
  Count Sample::*direction;
};

// By the clock of the wall, as the two ends have to agree on it.
HtmlSeries series_of(const End& end, double start) {
  HtmlSeries series{std::string(end.name), {}};
  const auto& trials = end.result.report.trials;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    const auto& began = end.result.began;
    double now = began.at(std::min(i, began.size() - 1)) - start;
    for (const auto& interval : trials[i].intervals) {
      now += interval.total.seconds;
      series.points.push_back(
          {now, per_second(interval.total.*end.direction, interval.total.seconds)});
    }
  }
  return series;
}

std::string share(double value) {
  return fmt::format("{:.1f} %", value * kPercent);
}

std::vector<std::string> end_row(const End& end) {
  const auto& result = end.result;
  const auto total = total_of(result.report);
  const auto& count = total.*end.direction;
  return {std::string(end.name),
          fmt::format("{} on {}", name_of(result.plan.mode), device_of(result.plan)),
          drivers_of(result.report),
          std::string(name_of(result.path.verdict)),
          pps_text(result.summary.rate.median),
          grouped(count.packets),
          grouped(count.missed),
          grouped(count.no_buffer),
          grouped(count.errors),
          fmt::format("{} to {}", share(end.spread.least), share(end.spread.most))};
}

HtmlTable ends_of(const End& sender, const End& receiver) {
  HtmlTable table;
  table.title = "Both ends";
  for (const std::string_view column : {"direction",
                                        "device",
                                        "driver",
                                        "path",
                                        "rate",
                                        "packets",
                                        "missed",
                                        "no buffer",
                                        "errors",
                                        "share of a queue"}) {
    table.columns.emplace_back(column);
  }
  table.rows = {end_row(sender), end_row(receiver)};
  return table;
}

std::string packets_of(const std::vector<Sample>& queues, std::size_t queue, Count Sample::*way) {
  return queue < queues.size() ? grouped((queues[queue].*way).packets) : std::string("-");
}

HtmlTable queues_table(const End& sender, const End& receiver) {
  HtmlTable table;
  table.title = "Queues";
  for (const std::string_view column : {"queue", "sent", "received"}) {
    table.columns.emplace_back(column);
  }
  const auto sent = queues_of(sender.result.report);
  const auto received = queues_of(receiver.result.report);
  for (std::size_t i = 0; i < std::max(sent.size(), received.size()); ++i) {
    table.rows.push_back({fmt::format("{}", i),
                          packets_of(sent, i, sender.direction),
                          packets_of(received, i, receiver.direction)});
  }
  return table;
}

void add_words(const End& end, HtmlReport& page) {
  const auto& result = end.result;
  if (result.summary.noisy()) page.warnings.push_back(fmt::format("Noisy: what was {}", end.name));
  if (result.path.verdict == datapath::Path::synthetic) {
    page.warnings.push_back(
        fmt::format("What was {} went through the synthetic device, not through the VF", end.name));
  }
  for (const auto& note : result.report.notes) {
    page.notes.push_back(fmt::format("{}: {}", end.name, printable(note)));
  }
  const auto& machine = result.machine;
  page.environment.push_back(
      {fmt::format("{} by", end.name),
       fmt::format("{}, {}", printable(machine.cpu, 80), printable(machine.kernel, 80))});
}

}  // namespace

std::string html_page(const MergeResult& merged) {
  const End sender{"sent", merged.sender, merged.sent_by, &Sample::tx};
  const End receiver{"received", merged.receiver, merged.received_by, &Sample::rx};
  HtmlReport page;
  page.title = verdict_of(merged);
  page.subtitle =
      fmt::format("from {} to {}", device_of(merged.sender.plan), device_of(merged.receiver.plan));
  page.warnings = remarks_on(merged);
  page.figures = {
      {"lost", merged.loss ? fmt::format("{:.4f} %", *merged.loss * kPercent) : "not known"},
      {"sent", pps_text(merged.sender.summary.rate.median)},
      {"received", pps_text(merged.receiver.summary.rate.median)},
      {"at the same time", fmt::format("{:.1f} s", merged.overlap)}};
  const auto start = std::min(merged.sender.began.front(), merged.receiver.began.front());
  page.series = {series_of(sender, start), series_of(receiver, start)};
  page.tables = {ends_of(sender, receiver), queues_table(sender, receiver)};
  for (const auto& [name, value] : configuration_of(merged.sender)) {
    page.configuration.push_back({name, value});
  }
  add_words(sender, page);
  add_words(receiver, page);
  page.made_by = fmt::format("manactl {}, {}", version(), utc_text(start));
  return html_page(page);
}

}  // namespace manactl::cli
