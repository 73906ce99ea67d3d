// SPDX-License-Identifier: MIT
//
// A measurement as an HTML page: what html_report.h shows, taken from a result.

#pragma once

#include <string>

#include "cli/bench/result.h"

namespace manactl::cli {

std::string bench_html(const BenchResult& result);

}  // namespace manactl::cli
