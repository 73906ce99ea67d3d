// SPDX-License-Identifier: MIT

#include "cli/bench/html.h"

#include <array>

#include "base/text.h"
#include "cli/bench/figures.h"
#include "cli/bench/find_text.h"
#include "cli/bench/html_report.h"
#include "cli/bench/html_text.h"
#include "datapath/servicing.h"

namespace manactl::cli {
namespace {

using datapath::Count;
using datapath::Sample;

constexpr const char* kNothing = "-";

std::string or_nothing(const std::string& text) {
  return text.empty() ? kNothing : printable(text);
}

std::string subtitle_of(const BenchResult& result) {
  return fmt::format("{} {}, {}, {} x {:g} s",
                     result.plan.queues,
                     result.plan.queues == 1 ? "queue" : "queues",
                     frames_text(result.plan),
                     result.report.trials.size(),
                     result.plan.trial.seconds);
}

// Trials stand one after the other, without the time between them.
HtmlSeries series_of(const BenchResult& result, const char* name, Count Sample::*direction) {
  HtmlSeries series;
  series.name = name;
  double now = 0;
  for (const auto& trial : result.report.trials) {
    for (const auto& interval : trial.intervals) {
      now += interval.total.seconds;
      series.points.push_back({now, per_second(interval.total.*direction, interval.total.seconds)});
    }
  }
  return series;
}

void add_series(const BenchResult& result, HtmlReport& page) {
  const auto mode = result.plan.mode;
  if (sends(mode)) page.series.push_back(series_of(result, "sent", &Sample::tx));
  if (!receives(mode)) return;
  page.series.push_back(series_of(result, "received", &Sample::rx));
  // The median is about what the mode is about, and that stands first.
  if (page.series.size() > 1) std::swap(page.series.front(), page.series.back());
}

void add_spans(const BenchResult& result, HtmlReport& page) {
  double now = 0;
  for (const auto& trial : result.report.trials) {
    if (now > 0) page.trials.push_back(now);
    if (const auto steady = trial.plan.steady_after(); steady > 0) {
      page.left_out.push_back(
          {now, now + steady, steady > trial.plan.warmup_seconds ? "ramp" : "warm-up"});
    }
    for (const auto& interval : trial.intervals) {
      const auto ends = now + interval.total.seconds;
      if (interval.disturbed) {
        page.disturbed.push_back({now, ends, "a device left, was away or came back"});
      }
      now = ends;
    }
  }
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * kPercent) : kNothing;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : kNothing;
}

// Of one queue, over all intervals of all trials.
std::vector<double> rates_of(const BenchResult& result, std::size_t queue) {
  std::vector<double> rates;
  for (const auto& trial : result.report.trials) {
    for (const auto& interval : trial.intervals) {
      if (queue >= interval.queues.size()) continue;
      const auto& sample = interval.queues[queue];
      rates.push_back(per_second(datapath::headline(result.plan.mode, sample), sample.seconds));
    }
  }
  return rates;
}

void add_queues(const BenchResult& result, HtmlReport& page) {
  const auto mode = result.plan.mode;
  page.queue_columns = {
      "missed", "cycles per packet", "instructions per packet", "full bursts", "empty polls"};
  const auto queues = queues_of(result.report);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    const auto costs = costs_of(mode, queues[i]);
    const auto& count = datapath::headline(mode, queues[i]);
    HtmlQueue queue;
    queue.name = fmt::format("{}", i);
    queue.rate = per_second(count, queues[i].seconds);
    queue.cells = {grouped(count.missed),
                   number(costs.cycles),
                   number(costs.instructions),
                   percent(costs.full_bursts),
                   percent(costs.empty_polls)};
    queue.rates = rates_of(result, i);
    page.queues.push_back(std::move(queue));
  }
}

void add_latency(const BenchResult& result, HtmlReport& page) {
  const auto latency = latency_of(result.report);
  if (!latency || latency->count() == 0) return;
  constexpr std::array kPercentiles = {
      0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.999, 100.0};
  for (const auto at : kPercentiles) {
    page.latency.push_back({at, static_cast<double>(latency->percentile(at / kPercent))});
  }
}

void add_figures(const BenchResult& result, HtmlReport& page) {
  const auto total = total_of(result.report);
  const auto& count = datapath::headline(result.plan.mode, total);
  const auto costs = costs_of(result.plan.mode, total);
  const auto& rate = result.summary.rate;
  page.figures.push_back({"rate", pps_text(rate_of(result))});
  page.figures.push_back({"throughput", throughput_text(rate_of(result), count)});
  page.figures.push_back({"path", std::string(name_of(result.path.verdict))});
  if (costs.cycles) page.figures.push_back({"cycles per packet", number(costs.cycles)});
  if (const auto latency = latency_of(result.report); latency && latency->count() != 0) {
    const auto at = [&](double share) {
      return time_text(static_cast<double>(latency->percentile(share)));
    };
    page.figures.push_back({"latency, p50", at(0.5)});
    page.figures.push_back({"latency, p99", at(0.99)});
  } else {
    page.figures.push_back({"missed", fmt::format("{}", count.missed)});
  }
  if (rate.count < kRates) return;
  page.median = rate.median;
  if (rate.confidence) page.confidence = HtmlBand{rate.confidence->low, rate.confidence->high};
}

std::vector<std::string> cells_of(const char* name, const Count& count) {
  std::vector<std::string> cells = {name};
  for (const auto value :
       {count.packets, count.bytes, count.missed, count.no_buffer, count.errors}) {
    cells.push_back(grouped(value));
  }
  return cells;
}

void add_tables(const BenchResult& result, HtmlReport& page) {
  const auto total = total_of(result.report);
  page.tables.push_back({"Counts",
                         {"", "packets", "bytes", "missed", "without buffer", "errors"},
                         {cells_of("sent", total.tx), cells_of("received", total.rx)}});
  HtmlTable ports{"Ports", {"device", "driver", "below it", "address", "link"}, {}};
  for (const auto& port : result.report.ports) {
    ports.rows.push_back(
        {printable(port.device),
         printable(port.driver),
         or_nothing(port.lower),
         port.mac.str(),
         port.link_mbps == 0 ? kNothing : fmt::format("{} Mbit/s", port.link_mbps)});
  }
  page.tables.push_back(std::move(ports));
  if (!result.search) return;
  HtmlTable search{"Search", {"may be lost", "found"}, {}};
  for (const auto& found : result.search->found) {
    search.rows.push_back({goal_text(found.loss), found_text(found)});
  }
  page.tables.push_back(std::move(search));
}

void add_configuration(const BenchResult& result, HtmlReport& page) {
  const auto& plan = result.plan;
  auto rows = configuration_of(result);
  const auto source = source_ip_of(plan);
  const auto peer = peer_ip_of(plan);
  rows.emplace_back("source IP", source ? source->str() : peer ? "each NIC's own" : "");
  rows.emplace_back("peer IP", peer ? peer->str() : "");
  rows.emplace_back("destination", plan.traffic.destination.str());
  rows.emplace_back("duration", fmt::format("{:g} s", plan.trial.seconds));
  rows.emplace_back("warm-up", fmt::format("{:g} s", plan.trial.warmup_seconds));
  rows.emplace_back("ramp", fmt::format("{:g} s", plan.trial.ramp_seconds));
  rows.emplace_back("interval", fmt::format("{:g} s", plan.trial.interval_seconds));
  rows.emplace_back("CPUs", plan.cpus.str());
  rows.emplace_back("EAL arguments", printable(join(result.report.eal_arguments, " "), 2000));
  for (auto& [name, value] : rows) page.configuration.push_back({name, or_nothing(value)});
}

void add_environment(const BenchResult& result, HtmlReport& page) {
  const auto& machine = result.machine;
  const auto& around = result.circumstances;
  page.environment = {{"CPU", or_nothing(machine.cpu)},
                      {"CPUs", fmt::format("{}", machine.cpus)},
                      {"NUMA nodes", fmt::format("{}", machine.numa_nodes)},
                      {"governor", or_nothing(machine.governor)},
                      {"isolated CPUs", or_nothing(machine.isolated_cpus)},
                      {"nohz_full CPUs", or_nothing(machine.nohz_full_cpus)},
                      {"SMT", or_nothing(machine.smt)},
                      {"clock source", or_nothing(machine.clocksource)},
                      {"kernel", or_nothing(machine.kernel)},
                      {"distribution", or_nothing(machine.distribution)},
                      {"hypervisor", or_nothing(machine.hypervisor)},
                      {"memory", human_bytes(machine.memory_kib << 10U)},
                      {"load before", number(around.load_before)},
                      {"load after", number(around.load_after)},
                      {"stolen", percent(around.stolen)},
                      {"waited for a CPU", percent(around.waited)},
                      {"engine", printable(result.report.engine + " " + result.report.version)}};
}

void add_words(const BenchResult& result, HtmlReport& page) {
  for (const auto& why : result.summary.why) page.warnings.push_back("Noisy: " + printable(why));
  if (is_interrupted(result)) page.warnings.emplace_back("Stopped before its time");
  for (const auto& note : result.report.notes) page.notes.push_back(printable(note));
  for (const auto& trial : result.report.trials) {
    for (const auto& note : trial.notes) page.notes.push_back(printable(note));
    for (const auto& event : trial.events) {
      const bool removed = event.kind == datapath::Event::Kind::removed;
      page.warnings.push_back(fmt::format("After {:.1f} s {} {}",
                                          event.at_seconds,
                                          printable(event.device),
                                          removed ? "was removed" : "came back"));
    }
    if (const auto servicing = datapath::servicing_of(result.plan.mode, trial)) {
      page.warnings.push_back("Away " + away_text(*servicing));
    }
  }
}

}  // namespace

std::string bench_html(const BenchResult& result) {
  HtmlReport page;
  page.title = fmt::format("{} on {}", name_of(result.plan.mode), device_of(result.plan));
  page.subtitle = subtitle_of(result);
  add_words(result, page);
  add_figures(result, page);
  add_series(result, page);
  add_spans(result, page);
  add_queues(result, page);
  add_latency(result, page);
  add_tables(result, page);
  add_configuration(result, page);
  add_environment(result, page);
  if (result.path.verdict == datapath::Path::synthetic) {
    page.warnings.emplace_back("The packets went through the synthetic device, not through the VF");
  }
  for (const auto& sentence : result.path.evidence) page.path.push_back(printable(sentence));
  page.made_by = fmt::format("manactl {}, {}",
                             printable(result.tool),
                             utc_text(result.began.empty() ? result.ended : result.began.front()));
  return html_page(page);
}

}  // namespace manactl::cli
