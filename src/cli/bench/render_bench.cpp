// SPDX-License-Identifier: MIT

#include "cli/bench/render_bench.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/bench/exit.h"
#include "cli/bench/one_screen.h"
#include "cli/version.h"
#include "report/bench_json.h"
#include "report/figures.h"
#include "report/html/pages.h"
#include "report/search_text.h"
#include "report/series.h"
#include "report/units.h"

namespace manactl::cli {
namespace {

using report::kPercent;
using report::Rows;
using Json = nlohmann::ordered_json;

// Returns "14.210 Mpps (95 % CI: 14.100 to 14.300 Mpps), the median of 8 intervals".
std::string rate_text(const report::BenchResult& result) {
  const auto pps = report::rate_of(result);
  if (!pps) return "unknown: " + report::why_no_rate(result);
  const auto basis = report::basis_of(result);
  auto text = report::estimate_text(result.summary.rate);
  if (!basis.empty()) text += ", " + basis;
  return report::includes_start(result) ? fmt::format("{} ({})", text, report::kMoreIntervals)
                                        : text;
}

// Prints the title, and returns the number of screen rows that it takes.
std::size_t print_title(Screen& screen, const report::BenchResult& result, int verbosity) {
  const auto& plan = result.plan;
  const auto trials = result.report.trials.size();
  const auto text =
      shortened(fmt::format("{}{} ({}): {}, {}, {}{:.1f} s",
                            report::is_interrupted(result) ? "Interrupted: " : "",
                            report::headline_of(result),
                            report::drivers_of(result.report),
                            report::queues_text(plan.queues),
                            report::frames_text(plan, report::total_of(result.report)),
                            trials > 1 ? fmt::format("{} x ", trials) : "",
                            result.report.trials.front().total.seconds),
                verbosity);
  for (const auto& line : wrap_lines(text, screen.width())) {
    screen.stream() << screen.paint(Color::bold, line) << '\n';
  }
  return rows_on_screen(screen, text);
}

// The other rows are those of the trials that the result keeps.
void add_search(Rows& rows, const datapath::SearchResult& search, std::size_t kept) {
  for (const auto& found : search.found) {
    rows.emplace_back(report::goal_text(found.loss), report::found_text(found));
  }
  const auto repeated = std::ranges::count(search.probes, false, &datapath::SearchProbe::valid);
  rows.emplace_back("trials",
                    fmt::format("{} ({} repeated); the rows below describe {} of them",
                                search.probes.size(),
                                repeated,
                                kept));
}

// The cycles of a visit to a queue include the time in which the worker was preempted. At a low
// rate, a visit moves few packets, which share the cost of the burst.
void add_costs(Rows& rows, const report::BenchResult& result) {
  const auto costs = report::costs_of(result);
  const auto& preempted = result.interference.preempted;
  if (costs.cycles) {
    constexpr double kMostly = 0.5;
    auto text = fmt::format("{:.1f}", *costs.cycles);
    if (costs.full_bursts.value_or(1) < kMostly) text += ", mostly in bursts that were not full";
    if (datapath::is_disturbed({-1, preempted.value_or(-1)})) text += ", including preemption";
    rows.emplace_back("cycles per packet", text);
  }
  if (costs.instructions) {
    rows.emplace_back("instructions", fmt::format("{:.1f} per packet", *costs.instructions));
  }
}

void add_polls(Rows& rows, const report::Costs& costs) {
  const auto percent = [](double share) { return fmt::format("{:.1f} %", share * kPercent); };
  if (costs.full_bursts) rows.emplace_back("full bursts", percent(*costs.full_bursts));
  if (costs.empty_polls) rows.emplace_back("empty polls", percent(*costs.empty_polls));
}

void add_counters(Rows& rows, datapath::Mode mode, const datapath::Sample& total) {
  const auto& tx = total.tx;
  const auto& rx = total.rx;
  if (sends(mode)) {
    rows.emplace_back("sent",
                      fmt::format("{} packets; {}",
                                  grouped(tx.packets),
                                  report::counts_text(
                                      {{tx.missed, "attempts rejected"}, {tx.errors, "errors"}})));
  }
  if (receives(mode)) {
    rows.emplace_back("received",
                      fmt::format("{} packets; {}",
                                  grouped(rx.packets),
                                  report::counts_text({{rx.missed, "missed"},
                                                       {rx.no_buffer, "without a buffer"},
                                                       {rx.errors, "errors"}})));
  }
  if (const auto loss = report::loss_of(mode, total)) {
    rows.emplace_back("lost", report::loss_text(*loss));
  } else if (rx.packets > tx.packets && generates_packets(mode) && receives(mode)) {
    rows.emplace_back("lost", "unknown: more packets were received than were counted as sent");
  }
}

void add_latency(Rows& rows, const std::optional<datapath::Histogram>& latency) {
  if (!latency || latency->count() == 0) return;
  const auto at = [&](double share) {
    return report::time_text(static_cast<double>(latency->percentile(share)));
  };
  rows.emplace_back("latency",
                    fmt::format("p50 {}, p90 {}, p99 {}, p99.9 {}, p99.99 {}, maximum {}",
                                at(0.5),
                                at(0.9),
                                at(0.99),
                                at(0.999),
                                at(0.9999),
                                report::time_text(static_cast<double>(latency->max()))));
}

void add_details(Rows& rows, const report::BenchResult& result) {
  const auto mode = result.plan.mode;
  add_polls(rows, report::costs_of(mode, report::total_of(result.report)));
  const auto queues = report::queues_of(result.report);
  const auto rates = report::queue_rates_of(result);
  const auto digits = report::digits_of(result.summary.rate);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto& count = datapath::headline(mode, queues[i]);
    const auto costs = report::costs_of(mode, queues[i]);
    rows.emplace_back(
        fmt::format("queue {}", i),
        fmt::format("mean {}{}{}",
                    i < rates.size() ? report::pps_text(rates[i], digits) : "unknown",
                    count.missed ? fmt::format(", {} missed", grouped(*count.missed)) : "",
                    costs.cycles ? fmt::format(", {:.1f} cycles per packet", *costs.cycles) : ""));
  }
  if (result.search) {
    const auto& probes = result.search->probes;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      rows.emplace_back(i == 0 ? "search" : "", report::probe_text(i + 1, probes[i]));
    }
  }
  rows.emplace_back("engine", fmt::format("{} {}", result.report.engine, result.report.version));
  rows.emplace_back("packet template", result.report.template_mode);
  rows.emplace_back("CPU", result.machine.cpu);
  rows.emplace_back("kernel", result.machine.kernel);
  const auto& arguments = result.report.eal_arguments;
  if (!arguments.empty()) rows.emplace_back("EAL arguments", join(arguments, " "));
}

Rows rows_of(const report::BenchResult& result, int verbosity) {
  const auto mode = result.plan.mode;
  const auto total = report::total_of(result.report);
  const auto& count = datapath::headline(mode, total);
  const auto& rate = result.summary.rate;
  Rows rows;
  if (result.search) {
    add_search(rows, *result.search, result.report.trials.size());
  } else {
    // The name of every other mode contains the direction.
    rows.emplace_back(mode == datapath::Mode::txrx ? "rate received" : "rate", rate_text(result));
    if (report::rate_of(result)) {
      rows.emplace_back("throughput",
                        report::throughput_text(rate.median, count, report::digits_of(rate)));
    }
  }
  add_latency(rows, report::latency_of(result.report));
  add_costs(rows, result);
  add_counters(rows, mode, total);
  const bool is_virtual = result.path.verdict == datapath::Path::emulated;
  if (verbosity > 0 || !is_virtual) rows.emplace_back("path", name_of(result.path.verdict));
  if (verbosity > 0) {
    for (const auto& sentence : result.path.evidence) rows.emplace_back("", sentence);
    add_details(rows, result);
  }
  return rows;
}

void print_text(Screen& screen, const report::BenchResult& result, int verbosity) {
  // The id of the saved result, and run_plan()'s error, which takes two rows if packets took the
  // synthetic path.
  const std::size_t others = exit_of(result) != Exit::findings    ? 1
                             : report::took_rejected_path(result) ? 3
                                                                  : 2;
  const auto title = print_title(screen, result, verbosity);
  const auto events = verbosity > 0 ? report::EventLines::all : report::EventLines::one_per_device;
  print_body(screen,
             {rows_of(result, verbosity), report::remarks_on(result, events), title + others},
             verbosity);
}

}  // namespace

void print(Context& context, const report::BenchResult& result, Output output) {
  switch (output) {
    case Output::json:
      context.out.stream() << report::bench_json(result, exit_code_of(result));
      return;
    case Output::ndjson:
      context.out.stream() << report::bench_ndjson(result, exit_code_of(result));
      return;
    case Output::csv:
      context.out.stream() << report::bench_csv(result);
      return;
    case Output::html:
      context.out.stream() << report::bench_html(result);
      return;
    case Output::text:
      print_text(context.out, result, context.verbosity);
  }
}

void print_drivers_text(Screen& screen, const datapath::EngineInfo& engine) {
  for (const auto& driver : engine.drivers) screen.stream() << driver << '\n';
}

void print_drivers_json(Screen& screen, const datapath::EngineInfo& engine) {
  Json document;
  document["schema"] = "manactl.drivers/1";
  document["manactl"] = version();
  document["dpdk"] = {
      {"version", engine.version}, {"linkage", engine.linkage}, {"drivers", engine.drivers}};
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
