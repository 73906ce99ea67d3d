// SPDX-License-Identifier: MIT
//
// The counts of every interval and queue, as documents, events and CSV have them.

#pragma once

#include <string>
#include <string_view>

#include "cli/bench/result.h"

namespace manactl::cli {

inline constexpr std::string_view kEventSchema = "manactl.bench-event/1";

// One element of "series", in columns.
std::string series_json(const datapath::Trial& trial);

// A line with its newline. `ends` is in seconds since the start of the trial.
std::string interval_event(std::size_t trial, double ends, const datapath::Interval& interval);

std::string device_event(std::size_t trial, const datapath::Event& event);

// Those lines of a trial that is over, in the order of their times.
std::string trial_events(std::size_t number, const datapath::Trial& trial);

std::string_view kind_of(const datapath::Event& event);  // "removed", "returned"

// A row for each interval and queue, below a row of names.
std::string bench_csv(const BenchResult& result);

}  // namespace manactl::cli
