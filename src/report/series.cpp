// SPDX-License-Identifier: MIT

#include "report/series.h"

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "base/json_text.h"

namespace manactl::report {
namespace {

using datapath::Count;
using datapath::Effort;
using datapath::Sample;
using Json = nlohmann::ordered_json;

using Series = std::vector<const Sample*>;

template <auto kGroup, auto kField>
constexpr Column make_column(std::string_view group, std::string_view name) {
  using Field = std::remove_cvref_t<decltype(Sample{}.*kGroup.*kField)>;
  constexpr bool kMayBeUnknown = std::same_as<Field, datapath::ReportedCount>;
  return {group,
          name,
          kMayBeUnknown,
          [](const Sample& sample) { return datapath::ReportedCount(sample.*kGroup.*kField); },
          [](Sample& sample, datapath::ReportedCount count) {
            if constexpr (kMayBeUnknown) {
              sample.*kGroup.*kField = count;
            } else {
              sample.*kGroup.*kField = count.value_or(0);
            }
          }};
}

constexpr std::array kColumns = {
    make_column<&Sample::tx, &Count::packets>("tx", "packets"),
    make_column<&Sample::tx, &Count::bytes>("tx", "bytes"),
    make_column<&Sample::tx, &Count::missed>("tx", "missed"),
    make_column<&Sample::tx, &Count::no_buffer>("tx", "no_buffer"),
    make_column<&Sample::tx, &Count::errors>("tx", "errors"),
    make_column<&Sample::rx, &Count::packets>("rx", "packets"),
    make_column<&Sample::rx, &Count::bytes>("rx", "bytes"),
    make_column<&Sample::rx, &Count::missed>("rx", "missed"),
    make_column<&Sample::rx, &Count::no_buffer>("rx", "no_buffer"),
    make_column<&Sample::rx, &Count::errors>("rx", "errors"),
    make_column<&Sample::effort, &Effort::cycles>("effort", "cycles"),
    make_column<&Sample::effort, &Effort::instructions>("effort", "instructions"),
    make_column<&Sample::effort, &Effort::polls>("effort", "polls"),
    make_column<&Sample::effort, &Effort::empty_polls>("effort", "empty_polls"),
    make_column<&Sample::effort, &Effort::full_bursts>("effort", "full_bursts"),
};

// Appends text instead of building a JSON tree, because one hour of 64 queues has millions of
// numbers. Omits columns that contain only zeros.
void put_columns(std::string& out, const Series& series) {
  bool first = true;
  out += '{';
  for (const auto& column : columns()) {
    const auto is_zero = [&](const Sample* one) { return column.of(*one) == 0; };
    if (std::all_of(series.begin(), series.end(), is_zero)) continue;
    fmt::format_to(std::back_inserter(out), "{}\"{}\":", first ? "" : ",", column.str());
    first = false;
    const auto is_unknown = [&](const Sample* one) { return !column.of(*one); };
    if (std::any_of(series.begin(), series.end(), is_unknown)) {
      out += "null";
      continue;
    }
    out += '[';
    for (const auto* sample : series) {
      fmt::format_to(std::back_inserter(out), "{},", *column.of(*sample));
    }
    out.back() = ']';
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

// The flags of an interval.
struct Flag {
  const char* name;
  bool datapath::Interval::* flag;
};

constexpr Flag kFlags[] = {{"disturbed", &datapath::Interval::disturbed},
                           {"absent", &datapath::Interval::absent}};

std::vector<std::size_t> indexes_of(const datapath::Trial& trial, bool datapath::Interval::* flag) {
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < trial.intervals.size(); ++i) {
    if (trial.intervals[i].*flag) indexes.push_back(i);
  }
  return indexes;
}

std::size_t queues_in(const datapath::Trial& trial) {
  return trial.intervals.empty() ? 0 : trial.intervals.front().queues.size();
}

// Reads each column. `sample(i)` returns the sample that receives the numbers of interval i.
template <class Target>
void read_columns(const JsonFields& fields, std::size_t count, Target sample) {
  for (const auto& column : columns()) {
    const auto name = column.str();
    if (column.may_be_unknown && fields.is_null(name.c_str())) {
      for (std::size_t i = 0; i < count; ++i) column.set(sample(i), std::nullopt);
      continue;
    }
    if (!fields.has(name.c_str())) continue;  // only zeros
    const auto values = fields.numbers(name.c_str());
    if (values.size() != count) return fields.refuse(name.c_str(), "is not as long as 'seconds'");
    for (std::size_t i = 0; i < count; ++i) column.set(sample(i), values[i]);
  }
}

}  // namespace

std::string Column::str() const {
  if (group == "effort") return std::string(name);
  return std::string(group) + '_' + std::string(name);
}

std::span<const Column> columns() {
  return kColumns;
}

std::string series_json(const datapath::Trial& trial) {
  std::string out;
  std::vector<double> seconds;
  seconds.reserve(trial.intervals.size());
  for (const auto& interval : trial.intervals) seconds.push_back(interval.total.seconds);
  out += "\n    {\"seconds\":" + Json(seconds).dump();
  for (const auto& [name, flag] : kFlags) {
    out += fmt::format(",\n     \"{}\":{}", name, Json(indexes_of(trial, flag)).dump());
  }
  out += ",\n     \"total\":";
  put_columns(out, totals_of(trial));
  out += ",\n     \"queues\":[";
  for (std::size_t queue = 0; queue < queues_in(trial); ++queue) {
    out += queue > 0 ? ",\n      " : "\n      ";
    put_columns(out, queue_of(trial, queue));
  }
  return out + "]}";
}

void read_series(const JsonFields& fields, datapath::Trial& trial) {
  // Each interval and each of its samples also becomes output: an event, or a line of CSV.
  constexpr std::size_t kOutputOfInterval = 1024, kOutputOfSample = 128;
  const auto seconds = fields.reals("seconds");
  const auto queues = fields.objects("queues");
  const auto memory = sizeof(datapath::Interval) + kOutputOfInterval +
                      queues.size() * (sizeof(Sample) + kOutputOfSample);
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (!fields.charge(memory)) return;
  }
  auto& intervals = trial.intervals;
  intervals.resize(seconds.size());
  for (const auto& [name, flag] : kFlags) {
    if (!fields.has(name)) continue;  // an older document
    for (const auto index : fields.numbers(name)) {
      if (index >= intervals.size()) return fields.refuse(name, "is not the index of an interval");
      intervals[index].*flag = true;
    }
  }
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    intervals[i].total.seconds = seconds[i];
    intervals[i].queues.resize(queues.size());
    for (auto& queue : intervals[i].queues) queue.seconds = seconds[i];
  }
  const auto count = intervals.size();
  read_columns(
      fields.object("total"), count, [&](std::size_t i) -> Sample& { return intervals[i].total; });
  for (std::size_t queue = 0; queue < queues.size(); ++queue) {
    read_columns(
        queues[queue], count, [&](std::size_t i) -> Sample& { return intervals[i].queues[queue]; });
  }
}

std::string interval_event(std::size_t trial, double ends, const datapath::Interval& interval) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = "interval";
  json["trial"] = trial;
  json["ends_seconds"] = ends;
  for (const auto& [name, flag] : kFlags) json[name] = interval.*flag;
  json["seconds"] = interval.total.seconds;
  for (const auto& column : columns()) {
    const auto count = column.of(interval.total);
    json["total"][column.str()] = count ? Json(*count) : Json();
  }
  auto line = json.dump();
  line.back() = ',';
  line += "\"queues\":";
  Series queues;
  for (const auto& queue : interval.queues) queues.push_back(&queue);
  put_columns(line, queues);
  return line + "}\n";
}

std::string device_event(std::size_t trial, const datapath::Event& event) {
  Json json;
  json["schema"] = kEventSchema;
  json["event"] = "device";
  json["trial"] = trial;
  json["at_seconds"] = event.at_seconds;
  json["device"] = safe(event.device);
  json["kind"] = word_of(datapath::kEventKinds, event.kind);
  return json.dump() + '\n';
}

std::string trial_events(std::size_t number, const datapath::Trial& trial) {
  std::string text;
  auto event = trial.events.begin();
  double ends = 0;
  for (const auto& interval : trial.intervals) {
    ends += interval.total.seconds;
    // In older documents, an event has the time of the end of an interval. That time was read from
    // the clock and differs slightly from `ends`, a sum of interval lengths.
    constexpr double kTolerance = 1e-6;  // seconds
    for (; event != trial.events.end() && event->at_seconds < ends + kTolerance; ++event) {
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
      const auto count = column.of(interval.queues[queue]);
      text += ',';
      if (count) fmt::format_to(std::back_inserter(text), "{}", *count);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string bench_csv(const BenchResult& result) {
  std::string text = "trial,interval,ends_seconds,seconds,disturbed,absent,queue";
  for (const auto& column : columns()) text += ',' + column.str();
  text += '\n';
  for (std::size_t i = 0; i < result.report.trials.size(); ++i) {
    double ends = 0;
    const auto& intervals = result.report.trials[i].intervals;
    for (std::size_t j = 0; j < intervals.size(); ++j) {
      const auto& one = intervals[j];
      const auto seconds = one.total.seconds;
      ends += seconds;
      const int disturbed = one.disturbed, absent = one.absent;
      text +=
          rows_of(fmt::format("{},{},{},{},{},{}", i, j, ends, seconds, disturbed, absent), one);
    }
  }
  return text;
}

}  // namespace manactl::report
