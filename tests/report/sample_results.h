// SPDX-License-Identifier: MIT
//
// Returns sample results for tests.

#pragma once

#include "report/result.h"

namespace manactl::test {

// One trial with ten intervals of one second. The first and the last one are slow; the others are
// within half a percent of `rate`. Two queues share the packets evenly.
report::BenchResult steady(datapath::Mode mode, double rate);

// As steady(), but on a device that is connected to another process.
report::BenchResult connected(datapath::Mode mode, double rate);

// Returns a result with one trial like that of steady() for each rate.
report::BenchResult repeated(datapath::Mode mode, const std::vector<double>& rates);

// Returns a result with every part: two trials, two NICs, latency, events, notes, a search.
report::BenchResult eventful();

// Returns the result as the output of bench --json.
std::string document(const report::BenchResult& result);

}  // namespace manactl::test
