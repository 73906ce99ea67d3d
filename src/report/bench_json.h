// SPDX-License-Identifier: MIT
//
// Writes and reads results as JSON: the document of schemas/bench.schema.json, and the events of
// schemas/bench-event.schema.json.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "report/result.h"

namespace manactl::report {

// `exit` is the exit code of the command. The series are at the end so that readers can skip them.
std::string bench_json(const BenchResult& result, int exit);

// The message of Errc::invalid contains `name` and the first missing or wrong field. If the
// document has no series, the result has no intervals.
Result<BenchResult> read_bench(std::string_view text, std::string_view name);

// Reads the document without its series, which take most of the time for a long run.
Result<BenchResult> read_bench_without_series(std::string text, std::string_view name);

// Each event is one line that ends with a newline: start, one event per interval, end. If a device
// leaves or returns, its event precedes the event of the interval in which that was detected.
std::string start_event(const datapath::BenchPlan& plan, const datapath::BenchReport& report);
std::string end_event(const BenchResult& result, int exit);  // contains the document without series

// Returns all events of a finished run.
std::string bench_ndjson(const BenchResult& result, int exit);

}  // namespace manactl::report
