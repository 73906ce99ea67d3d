// SPDX-License-Identifier: MIT

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.h"
#include "report/figures.h"
#include "report/html/elements.h"
#include "report/html/page.h"
#include "report/html/pages.h"
#include "report/search_text.h"

namespace manactl::report {
namespace {

using datapath::Count;
using datapath::Sample;

constexpr const char* kUnknown = "-";

std::string text_or_dash(const std::string& text) {
  return text.empty() ? kUnknown : text;
}

// "manactl bench eth1 --label 'before the update'"; empty if the command is unknown.
std::string command_of(const BenchResult& result) {
  if (result.command.empty()) return {};
  std::string text = "manactl";
  for (const auto& word : result.command) {
    // shell_word() also quotes words because of a leading dash, which options have.
    const auto dashes = std::min(word.find_first_not_of('-'), word.size());
    text += ' ' + word.substr(0, dashes);
    if (dashes < word.size() || word.empty()) text += shell_word(word.substr(dashes));
  }
  return printable(text, 2000);
}

std::string percent(const std::optional<double>& share) {
  return share ? fmt::format("{:.1f} %", *share * kPercent) : kUnknown;
}

std::string number(const std::optional<double>& value) {
  return value ? fmt::format("{:.1f}", *value) : kUnknown;
}

std::string count_text(const datapath::ReportedCount& count) {
  return count ? grouped(*count) : "not reported";
}

std::string subtitle_of(const BenchResult& result) {
  return fmt::format("{}, {}, {} x {:g} s",
                     queues_text(result.plan.queues),
                     frames_text(result.plan, total_of(result.report)),
                     result.report.trials.size(),
                     result.plan.trial.seconds);
}

constexpr double kNoRate = std::numeric_limits<double>::quiet_NaN();

// Returns the rates of all trials as one series, without the time between the trials.
HtmlSeries series_of(const BenchResult& result, const char* name, Count Sample::* direction) {
  HtmlSeries series;
  series.name = name;
  double now = 0;
  for (const auto& trial : result.report.trials) {
    for (const auto& interval : trial.intervals) {
      now += interval.total.seconds;
      const auto rate = per_second(interval.total.*direction, interval.total.seconds);
      series.points.push_back({now, interval.absent ? kNoRate : rate});
    }
  }
  return series;
}

void add_series(const BenchResult& result, HtmlReport& page) {
  const auto mode = result.plan.mode;
  if (sends(mode)) page.series.push_back(series_of(result, "sent", &Sample::tx));
  if (!receives(mode)) return;
  page.series.push_back(series_of(result, "received", &Sample::rx));
  // The median is that of the first series, so put the direction that the mode measures first.
  if (page.series.size() > 1) std::swap(page.series.front(), page.series.back());
}

constexpr const char* kDisturbed =
    "a device was removed, absent or returned, or no packets arrived";

void add_spans(const BenchResult& result, HtmlReport& page) {
  double now = 0;
  for (const auto& trial : result.report.trials) {
    if (now > 0) page.trial_starts.push_back(now);
    if (const auto steady = trial.plan.steady_after(); steady > 0) {
      page.excluded.push_back(
          {now, now + steady, steady > trial.plan.warmup_seconds ? "ramp" : "warm-up"});
    }
    for (const auto& interval : trial.intervals) {
      const auto end = now + interval.total.seconds;
      if (interval.disturbed) page.disturbed.push_back({now, end, kDisturbed});
      now = end;
    }
  }
}

// The rates of one queue in all intervals of all trials.
std::vector<double> rates_of(const BenchResult& result, std::size_t queue) {
  std::vector<double> rates;
  for (const auto& trial : result.report.trials) {
    for (const auto& interval : trial.intervals) {
      if (queue >= interval.queues.size()) continue;
      const auto& sample = interval.queues[queue];
      const auto rate = per_second(datapath::headline(result.plan.mode, sample), sample.seconds);
      rates.push_back(interval.absent ? kNoRate : rate);
    }
  }
  return rates;
}

// Removes the columns that no queue has a value for.
void remove_unknown_columns(HtmlReport& page) {
  for (auto i = page.queue_columns.size(); i-- > 0;) {
    const auto is_unknown = [i](const HtmlQueue& queue) { return queue.cells[i] == kUnknown; };
    if (!std::ranges::all_of(page.queues, is_unknown)) continue;
    const auto at = static_cast<std::ptrdiff_t>(i);
    page.queue_columns.erase(page.queue_columns.begin() + at);
    for (auto& queue : page.queues) queue.cells.erase(queue.cells.begin() + at);
  }
}

void add_queues(const BenchResult& result, HtmlReport& page) {
  const auto mode = result.plan.mode;
  page.queue_columns = {
      "missed", "cycles per packet", "instructions per packet", "full bursts", "empty polls"};
  const auto queues = queues_of(result.report);
  const auto rates = queue_rates_of(result);
  for (std::size_t i = 0; i < queues.size(); ++i) {
    auto costs = costs_of(mode, queues[i]);
    if (was_paced(result)) costs.instructions.reset();
    const auto& count = datapath::headline(mode, queues[i]);
    page.queues.push_back({fmt::format("{}", i),
                           i < rates.size() ? rates[i] : kNoRate,
                           {count.missed ? grouped(*count.missed) : kUnknown,
                            number(costs.cycles),
                            number(costs.instructions),
                            percent(costs.full_bursts),
                            percent(costs.empty_polls)},
                           rates_of(result, i)});
  }
  remove_unknown_columns(page);
}

// Returns up to 80 bins whose widths grow like the latencies, but none narrower than the buckets.
std::vector<HtmlBin> bins_of(const datapath::Histogram& latency) {
  constexpr double kMaxBins = 80, kPerFactorE = 512;  // a bucket is at most 1/512 of its latency
  const auto low = std::max(static_cast<double>(latency.min()), 1.0);
  const auto high = std::max(static_cast<double>(latency.max()), low + 1);
  const double span = std::log(high / low);
  const double count =
      std::clamp(std::floor(std::min(span * kPerFactorE, high - low)), 1.0, kMaxBins);
  std::vector<HtmlBin> bins;
  for (double i = 0; i < count; ++i) {
    bins.push_back({low * std::exp(span * i / count), low * std::exp(span * (i + 1) / count), 0});
  }
  bins.back().high = high;  // without rounding errors
  for (const auto& bucket : latency.buckets()) {
    const double middle = (static_cast<double>(bucket.low) + static_cast<double>(bucket.high)) / 2;
    const double at = std::floor(count * std::log(std::max(middle, low) / low) / span);
    bins.at(static_cast<std::size_t>(std::clamp(at, 0.0, count - 1))).count += bucket.count;
  }
  return bins;
}

void add_latency(const datapath::Histogram& latency, HtmlReport& page) {
  constexpr std::array kPercentiles = {
      0.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99, 99.999, 100.0};
  const auto at = [&](double share) { return static_cast<double>(latency.percentile(share)); };
  for (const auto percentile : kPercentiles) {
    page.latency.push_back({percentile, at(percentile / kPercent)});
  }
  page.latency_bins = bins_of(latency);
  page.figures.emplace_back("latency, p50", time_text(at(0.5)));
  page.figures.emplace_back("latency, p99", time_text(at(0.99)));
}

void add_figures(const BenchResult& result, HtmlReport& page) {
  const auto total = total_of(result.report);
  const auto& count = datapath::headline(result.plan.mode, total);
  const auto costs = costs_of(result);
  const auto& rate = result.summary.rate;
  if (result.search) {
    for (const auto& found : result.search->found) {
      page.figures.emplace_back(goal_text(found.loss), found_rate_text(found));
    }
  } else if (rate_of(result)) {
    const auto basis = basis_of(result);
    page.figures = {{basis.empty() ? "rate" : "rate, " + basis, median_text(rate)},
                    {"throughput", throughput_text(rate.median, count, digits_of(rate))}};
  }
  page.figures.emplace_back("data path", std::string(name_of(result.path.verdict)));
  if (const auto loss = loss_of(result.plan.mode, total)) {
    page.figures.emplace_back("lost", loss_text(*loss));
  } else {
    page.figures.emplace_back("missed", count_text(count.missed));
  }
  if (costs.cycles) page.figures.emplace_back("cycles per packet", number(costs.cycles));
  if (const auto latency = latency_of(result.report); latency && latency->count() != 0) {
    add_latency(*latency, page);
  }
  if (rate.count < kMinRates) return;
  page.median = rate.median;
  if (rate.confidence) page.confidence = HtmlBand{rate.confidence->low, rate.confidence->high};
}

std::vector<std::string> counter_row(const char* name, const Count& count) {
  return {name,
          grouped(count.packets),
          grouped(count.bytes),
          count_text(count.missed),
          count_text(count.no_buffer),
          count_text(count.errors)};
}

void add_tables(const BenchResult& result, HtmlReport& page) {
  const auto total = total_of(result.report);
  page.tables.push_back({"Counters",
                         {"direction", "packets", "bytes", "missed", "no buffer", "errors"},
                         {counter_row("sent", total.tx), counter_row("received", total.rx)}});
  HtmlTable ports{"Ports", {"device", "driver", "VF driver", "MAC address", "link speed"}, {}};
  for (const auto& port : result.report.ports) {
    ports.rows.push_back(
        {port.device,
         port.driver,
         text_or_dash(port.lower),
         port.mac.str(),
         port.link_mbps == 0 ? kUnknown : fmt::format("{} Mbit/s", port.link_mbps)});
  }
  page.tables.push_back(std::move(ports));
}

void add_search(const datapath::SearchResult& search, HtmlReport& page) {
  HtmlTable goals{"Search", {"goal", "result"}, {}};
  for (const auto& found : search.found) {
    page.search.goals.push_back(
        {goal_text(found.loss), found.loss, found.lower, found_rate_text(found)});
    goals.rows.push_back({goal_text(found.loss), found_text(found)});
  }
  HtmlTable trials{
      "Trials of the search", {"trial", "rate", "loss", "duration", "sent", "received"}, {}};
  for (const auto& probe : search.probes) {
    page.search.trials.push_back({probe.load(), probe.loss(), probe.valid});
    trials.rows.push_back(
        {fmt::format("{}", trials.rows.size() + 1),
         pps_text(probe.load()),
         probe.valid ? fmt::format("{:.4g} %", probe.loss() * kPercent) : std::string("repeated"),
         fmt::format("{:.4g} s", probe.seconds),
         grouped(probe.sent),
         grouped(probe.received)});
  }
  page.search_tables = {std::move(goals), std::move(trials)};
}

void add_configuration(const BenchResult& result, HtmlReport& page) {
  const auto& plan = result.plan;
  const auto source = source_ip_of(plan);
  const auto peer = peer_ip_of(plan);
  const auto seconds = [](double value) { return fmt::format("{:g} s", value); };
  page.configuration = configuration_of(result);
  for (const auto& [name, value] :
       HtmlRows{{"source IP",
                 source ? source->str()
                 : peer ? "address of each NIC"
                        : ""},
                {"peer IP", peer ? peer->str() : ""},
                {"destination MAC", plan.traffic.destination.str()},
                {"duration", seconds(plan.trial.seconds)},
                {"warm-up", seconds(plan.trial.warmup_seconds)},
                {"ramp", seconds(plan.trial.ramp_seconds)},
                {"interval", seconds(plan.trial.interval_seconds)},
                {"CPUs", plan.cpus.str()},
                {"command", command_of(result)},
                {"EAL arguments", printable(join(result.report.eal_arguments, " "), 2000)}}) {
    page.configuration.emplace_back(name, text_or_dash(value));
  }
}

void add_environment(const BenchResult& result, HtmlReport& page) {
  const auto& interference = result.interference;
  page.environment = machine_of(result);
  page.environment.emplace_back("load before", number(interference.load_before));
  page.environment.emplace_back("load after", number(interference.load_after));
  page.environment.emplace_back("steal time", percent(interference.stolen));
  page.environment.emplace_back("workers preempted", percent(interference.preempted));
}

}  // namespace

std::string bench_html(const BenchResult& result) {
  HtmlReport page;
  page.title = headline_of(result);
  page.subtitle = subtitle_of(result);
  page.warnings = warnings_on(result);
  if (is_interrupted(result)) page.warnings.insert(page.warnings.begin(), "Interrupted");
  if (result.path.verdict == datapath::Path::synthetic) {
    page.warnings.emplace_back("Packets took the synthetic path, not the VF");
  }
  add_figures(result, page);
  add_series(result, page);
  add_spans(result, page);
  add_queues(result, page);
  if (result.search) add_search(*result.search, page);
  add_tables(result, page);
  add_configuration(result, page);
  add_environment(result, page);
  page.path = result.path.evidence;
  page.notes = notes_on(result);
  page.footer = fmt::format(
      "manactl {}, {}",
      result.tool_version,
      utc_text(result.trial_starts.empty() ? result.ended : result.trial_starts.front()));
  return html_page(page);
}

}  // namespace manactl::report
