// SPDX-License-Identifier: MIT
//
// A measurement for programs: the document of schemas/bench.schema.json and the events of
// schemas/bench-event.schema.json.

#pragma once

#include <string>

#include "cli/bench/result.h"

namespace manactl::cli {

// The series stand at its end, in columns, so that a reader can leave them out.
std::string bench_json(const BenchResult& result);

// What begins the series in that text.
inline constexpr std::string_view kSeriesMark = ",\n  \"series\": [";

// One line each, with its newline. A run of 3 intervals is start, interval, interval, interval,
// end; a device that leaves or comes back is told before the interval in which that was noticed.
std::string start_event(const datapath::BenchPlan& plan, const datapath::BenchReport& about);
std::string end_event(const BenchResult& result);  // the document without its series

// All of that at once, of a run that is over.
std::string bench_ndjson(const BenchResult& result);

}  // namespace manactl::cli
