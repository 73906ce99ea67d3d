// SPDX-License-Identifier: MIT
//
// A document of bench read again. It may come from anywhere: every value is checked.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "cli/bench/result.h"

namespace manactl::cli {

// Errc::invalid names the first thing that is wrong. `shown` is what the document is called in that
// sentence. A document without series is good, and has no intervals.
Result<BenchResult> read_bench(std::string_view text, std::string_view shown);

}  // namespace manactl::cli
