// SPDX-License-Identifier: MIT
//
// Writes the HTML pages of the bench commands, in bench_page.cpp, compare_page.cpp and
// merge_page.cpp. A page is one file without scripts and needs no network.

#pragma once

#include <string>
#include <string_view>

#include "report/compare.h"
#include "report/merge.h"
#include "report/result.h"

namespace manactl::report {

std::string bench_html(const BenchResult& result);

// `tool` is the version of manactl that writes the page.
std::string compare_html(const CompareResult& result, std::string_view tool);
std::string merge_html(const MergeResult& merged, std::string_view tool);

}  // namespace manactl::report
