// SPDX-License-Identifier: MIT

#include "cli/bench/render_bench.h"

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/bench/find_text.h"
#include "cli/bench/html.h"
#include "cli/bench/json.h"
#include "cli/bench/series.h"
#include "cli/version.h"
#include "datapath/servicing.h"

namespace manactl::cli {
namespace {

using datapath::Sample;
using Json = nlohmann::ordered_json;

// "14.210 Mpps", and where there are rates enough, how sure that is.
std::string rate_text(const BenchResult& result) {
  const auto& rate = result.summary.rate;
  if (rate.count < kRates) return pps_text(rate_of(result));
  return fmt::format("{}, the median of {} {}",
                     estimate_text(rate),
                     rate.count,
                     result.report.trials.size() > 1 ? "trials" : "intervals");
}

void title(Screen& screen, const BenchResult& result) {
  const auto& plan = result.plan;
  const auto trials = result.report.trials.size();
  const auto text = fmt::format("{} on {} ({}): {} {}, {}, {}{:.1f} s",
                                name_of(plan.mode),
                                result.simulated ? "the software adapter" : device_of(plan),
                                drivers_of(result.report),
                                plan.queues,
                                plan.queues == 1 ? "queue" : "queues",
                                frames_text(plan),
                                trials > 1 ? fmt::format("{} x ", trials) : "",
                                result.report.trials.front().total.seconds);
  for (const auto& line : wrap_lines(text, screen.width())) {
    screen.stream() << screen.paint(Colour::bold, line) << '\n';
  }
}

void percent_row(Screen& screen, std::string_view label, const std::optional<double>& share) {
  if (share) row(screen, label, fmt::format("{:.1f} %", *share * kPercent));
}

void cost_rows(Screen& screen, const Costs& costs) {
  if (costs.cycles) row(screen, "cycles per packet", fmt::format("{:.1f}", *costs.cycles));
  if (costs.instructions) {
    row(screen, "instructions", fmt::format("{:.1f} per packet", *costs.instructions));
  }
  percent_row(screen, "full bursts", costs.full_bursts);
  percent_row(screen, "empty polls", costs.empty_polls);
}

void count_rows(Screen& screen, datapath::Mode mode, const Sample& total) {
  if (sends(mode)) {
    row(screen,
        "sent",
        fmt::format("{} packets; {} not taken by the device, {} errors",
                    total.tx.packets,
                    total.tx.missed,
                    total.tx.errors));
  }
  if (receives(mode)) {
    row(screen,
        "received",
        fmt::format("{} packets; {} missed, {} without buffer, {} errors",
                    total.rx.packets,
                    total.rx.missed,
                    total.rx.no_buffer,
                    total.rx.errors));
  }
}

void latency_row(Screen& screen, const std::optional<datapath::Histogram>& latency) {
  if (!latency || latency->count() == 0) return;
  const auto at = [&](double share) {
    return time_text(static_cast<double>(latency->percentile(share)));
  };
  row(screen,
      "latency",
      fmt::format("p50 {}, p90 {}, p99 {}, p99.9 {}, p99.99 {}, at most {}",
                  at(0.5),
                  at(0.9),
                  at(0.99),
                  at(0.999),
                  at(0.9999),
                  time_text(static_cast<double>(latency->most()))));
}

void search_rows(Screen& screen, const BenchResult& result) {
  if (!result.search) return;
  for (const auto& found : result.search->found) {
    row(screen, goal_text(found.loss), found_text(found));
  }
}

void servicing_rows(Screen& screen, const BenchResult& result) {
  for (const auto& trial : result.report.trials) {
    const auto servicing = datapath::servicing_of(result.plan.mode, trial);
    if (servicing) row(screen, "away", away_text(*servicing));
  }
}

void details(Screen& screen, const BenchResult& result) {
  const auto mode = result.plan.mode;
  const auto queues = queues_of(result.report);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto& count = datapath::headline(mode, queues[i]);
    const auto costs = costs_of(mode, queues[i]);
    row(screen,
        fmt::format("queue {}", i),
        fmt::format("mean {}, {} missed{}",
                    pps_text(per_second(count, queues[i].seconds)),
                    count.missed,
                    costs.cycles ? fmt::format(", {:.1f} cycles per packet", *costs.cycles) : ""));
  }
  if (result.search) {
    for (std::size_t i = 0; i < result.search->probes.size(); ++i) {
      screen.stream() << "  " << probe_text(i + 1, result.search->probes[i]) << '\n';
    }
  }
  for (const auto& sentence : result.path.evidence) row(screen, "", sentence);
  row(screen, "engine", fmt::format("{} {}", result.report.engine, result.report.version));
  row(screen, "template", result.report.template_mode);
  row(screen, "CPU", result.machine.cpu);
  row(screen, "kernel", result.machine.kernel);
  const auto& words = result.report.eal_arguments;
  if (!words.empty()) row(screen, "EAL arguments", join(words, " "));
}

void notes(Screen& screen, std::string_view label, const std::vector<std::string>& lines) {
  for (const auto& line : lines) {
    screen.stream() << wrap(fmt::format("{}: {}", label, printable(line)), screen.width(), 2)
                    << '\n';
  }
}

void events(Screen& screen, const datapath::Trial& trial) {
  for (const auto& event : trial.events) {
    const bool removed = event.kind == datapath::Event::Kind::removed;
    screen.stream() << fmt::format("  After {:.1f} s {} {}.\n",
                                   event.at_seconds,
                                   printable(event.device),
                                   removed ? "was removed" : "came back");
  }
}

}  // namespace

void print(Context& context, const BenchResult& result, Output output) {
  switch (output) {
    case Output::json:
      context.out.stream() << bench_json(result);
      return;
    case Output::ndjson:
      context.out.stream() << bench_ndjson(result);
      return;
    case Output::csv:
      context.out.stream() << bench_csv(result);
      return;
    case Output::html:
      context.out.stream() << bench_html(result);
      return;
    case Output::table:
      text(context.out, result, context.verbosity);
  }
}

void text(Screen& screen, const BenchResult& result, int verbosity) {
  const auto& report = result.report;
  const auto mode = result.plan.mode;
  const auto total = total_of(report);
  title(screen, result);
  row(screen, "rate", rate_text(result));
  row(screen, "throughput", throughput_text(rate_of(result), datapath::headline(mode, total)));
  search_rows(screen, result);
  latency_row(screen, latency_of(report));
  cost_rows(screen, costs_of(mode, total));
  count_rows(screen, mode, total);
  row(screen, "path", std::string(name_of(result.path.verdict)));
  if (verbosity > 0) details(screen, result);
  servicing_rows(screen, result);
  for (const auto& trial : report.trials) events(screen, trial);
  notes(screen, "Noisy", result.summary.why);
  notes(screen, "Note", report.notes);
  for (const auto& trial : report.trials) notes(screen, "Note", trial.notes);
  if (is_interrupted(result)) screen.stream() << "  Stopped before its time.\n";
}

void drivers_text(Screen& screen, const datapath::EngineInfo& engine) {
  for (const auto& driver : engine.drivers) screen.stream() << driver << '\n';
}

void drivers_json(Screen& screen, const datapath::EngineInfo& engine) {
  Json document;
  document["schema"] = "manactl.drivers/1";
  document["manactl"] = version();
  document["dpdk"] = {
      {"version", engine.version}, {"linkage", engine.linkage}, {"drivers", engine.drivers}};
  screen.stream() << document.dump(2) << '\n';
}

}  // namespace manactl::cli
