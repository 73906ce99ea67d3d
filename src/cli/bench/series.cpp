// SPDX-License-Identifier: MIT

#include "cli/bench/series.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/bench/columns.h"
#include "cli/json_text.h"

namespace manactl::cli {
namespace {

using datapath::Sample;
using Json = nlohmann::ordered_json;

using Series = std::vector<const Sample*>;

// Written by hand: an hour of 64 queues is millions of numbers, and a tree of them is large.
// Columns of nothing but zeros are left out.
void put_columns(std::string& out, const Series& series) {
  bool first = true;
  out += '{';
  for (const auto& column : columns()) {
    const bool zero = std::all_of(
        series.begin(), series.end(), [&](const Sample* s) { return column.of(*s) == 0; });
    if (zero) continue;
    fmt::format_to(std::back_inserter(out), "{}\"{}\":[", first ? "" : ",", column.str());
    for (const auto* sample : series) {
      fmt::format_to(std::back_inserter(out), "{},", column.of(*sample));
    }
    out.back() = ']';
    first = false;
  }
  out += '}';
}

Series totals_of(const datapath::Trial& trial) {
  Series series;
  for (const auto& interval : trial.intervals) series.push_back(&interval.total);
  return series;
}

Series queue_of(const datapath::Trial& trial, std::size_t queue) {
  Series series;
  for (const auto& interval : trial.intervals) series.push_back(&interval.queues.at(queue));
  return series;
}

std::size_t queues_in(const datapath::Trial& trial) {
  return trial.intervals.empty() ? 0 : trial.intervals.front().queues.size();
}

}  // namespace

std::string series_json(const datapath::Trial& trial) {
  std::string out;
  std::vector<double> seconds;
  std::vector<std::size_t> disturbed;
  for (std::size_t i = 0; i < trial.intervals.size(); ++i) {
    seconds.push_back(trial.intervals[i].total.seconds);
    if (trial.intervals[i].disturbed) disturbed.push_back(i);
  }
  out += "\n    {\"seconds\":" + Json(seconds).dump();
  out += ",\n     \"disturbed\":" + Json(disturbed).dump();
  out += ",\n     \"total\":";
  put_columns(out, totals_of(trial));
  out += ",\n     \"queues\":[";
  for (std::size_t queue = 0; queue < queues_in(trial); ++queue) {
    out += queue > 0 ? ",\n      " : "\n      ";
    put_columns(out, queue_of(trial, queue));
  }
  return out + "]}";
}

std::string interval_event(std::size_t trial, double ends, const datapath::Interval& interval) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = "interval";
  json["trial"] = trial;
  json["ends_seconds"] = ends;
  json["disturbed"] = interval.disturbed;
  json["seconds"] = interval.total.seconds;
  for (const auto& column : columns()) json["total"][column.str()] = column.of(interval.total);
  auto line = json.dump();
  line.back() = ',';
  line += "\"queues\":";
  Series queues;
  for (const auto& queue : interval.queues) queues.push_back(&queue);
  put_columns(line, queues);
  return line + "}\n";
}

std::string_view kind_of(const datapath::Event& event) {
  return event.kind == datapath::Event::Kind::removed ? "removed" : "returned";
}

std::string device_event(std::size_t trial, const datapath::Event& event) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = "device";
  json["trial"] = trial;
  json["at_seconds"] = event.at_seconds;
  json["device"] = safe(event.device);
  json["kind"] = kind_of(event);
  return json.dump() + '\n';
}

std::string trial_events(std::size_t number, const datapath::Trial& trial) {
  std::string text;
  auto event = trial.events.begin();
  double ends = 0;
  for (const auto& interval : trial.intervals) {
    ends += interval.total.seconds;
    // Noticed at the end of an interval; a sum of lengths agrees with a clock nearly.
    constexpr double kNearly = 1e-3;
    for (; event != trial.events.end() && event->at_seconds < ends + kNearly; ++event) {
      text += device_event(number, *event);
    }
    text += interval_event(number, ends, interval);
  }
  for (; event != trial.events.end(); ++event) text += device_event(number, *event);
  return text;
}

namespace {

std::string rows_of(std::string_view head, const datapath::Interval& interval) {
  std::string text;
  for (std::size_t queue = 0; queue < interval.queues.size(); ++queue) {
    fmt::format_to(std::back_inserter(text), "{},{}", head, queue);
    for (const auto& column : columns()) {
      fmt::format_to(std::back_inserter(text), ",{}", column.of(interval.queues[queue]));
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string bench_csv(const BenchResult& result) {
  std::string text = "trial,interval,ends_seconds,seconds,disturbed,queue";
  for (const auto& column : columns()) text += ',' + column.str();
  text += '\n';
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    double ends = 0;
    const auto& intervals = result.report.trials[i].intervals;
    for (std::size_t j = 0; j < intervals.size(); ++j) {
      const auto& one = intervals[j];
      const auto seconds = one.total.seconds;
      ends += seconds;
      text += rows_of(fmt::format("{},{},{},{},{}", i, j, ends, seconds, int{one.disturbed}), one);
    }
  }
  return text;
}

}  // namespace manactl::cli
