// SPDX-License-Identifier: MIT
//
// Results of bench as they could have been measured, for everything that reads them.

#pragma once

#include "cli/bench/result.h"

namespace manactl::test {

// One trial of ten seconds with an interval each: the first and the last one are slow, the others
// lie within half a percent of `rate`. Two queues share the packets evenly.
cli::BenchResult steady(datapath::Mode mode, double rate);

// Everything that a result can have: two trials, two NICs, a latency, events, notes, a search.
cli::BenchResult eventful();

// What bench --json prints of it.
std::string document(const cli::BenchResult& result);

}  // namespace manactl::test
