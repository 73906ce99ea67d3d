// SPDX-License-Identifier: MIT
//
// The counters of every interval and queue as JSON columns, events and CSV.

#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/enum_words.h"
#include "base/json_fields.h"
#include "report/result.h"

namespace manactl::report {

// One counter of a sample, and its name.
struct Column {
  std::string_view group;  // "tx", "rx", "effort"
  std::string_view name;   // "packets"
  bool may_be_unknown;     // the counter is a ReportedCount
  datapath::ReportedCount (*of)(const datapath::Sample& sample);
  void (*set)(datapath::Sample& sample, datapath::ReportedCount count);

  // Returns "tx_packets"; for the group "effort", the name alone: "cycles".
  std::string str() const;
};

std::span<const Column> columns();

inline constexpr std::string_view kEventSchema = "manactl.bench-event/2";

// Returns the element of "series" for a trial: one list per counter that is not always 0, and null
// for a counter that is unknown in an interval.
std::string series_json(const datapath::Trial& trial);

// Reads an element of "series" into the intervals of `trial`.
void read_series(const JsonFields& fields, datapath::Trial& trial);

// Each event is one line that ends with a newline. `ends` is the end of the interval in seconds
// since the start of the trial.
std::string interval_event(std::size_t trial, double ends, const datapath::Interval& interval);

std::string device_event(std::size_t trial, const datapath::Event& event);

// Returns the interval and device events of a finished trial in order of time.
std::string trial_events(std::size_t number, const datapath::Trial& trial);

// Returns a header line, and a line for each interval and queue. Unknown counters are empty.
std::string bench_csv(const BenchResult& result);

}  // namespace manactl::report
