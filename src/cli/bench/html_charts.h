// SPDX-License-Identifier: MIT
//
// The charts of a report, each a figure of HTML; empty where there is nothing to draw.

#pragma once

#include <string>
#include <vector>

#include "cli/bench/html_report.h"

namespace manactl::cli {

// `disturbed` in place of the report's own, joined where they touch.
std::string rate_chart(const HtmlReport& report, const std::vector<HtmlSpan>& disturbed);
std::string queue_chart(const HtmlReport& report);
std::string latency_chart(const HtmlReport& report);

// The table below the bars, with a small line of each queue's rates over time.
std::string queue_table(const HtmlReport& report);

}  // namespace manactl::cli
