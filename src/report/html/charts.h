// SPDX-License-Identifier: MIT
//
// Draws the charts of a page as HTML figures, in rate_chart.cpp, latency_chart.cpp,
// latency_distribution.cpp, queue_charts.cpp and search_chart.cpp. The functions return an empty
// string if there is nothing to draw.

#pragma once

#include <string>
#include <vector>

#include "report/html/page.h"

namespace manactl::report {

// Draws throughput over time. `disturbed` is HtmlReport::disturbed with adjacent spans merged.
std::string rate_chart(const HtmlReport& report, const std::vector<HtmlSpan>& disturbed);
std::string queue_chart(const HtmlReport& report);    // empty for a single queue
std::string latency_chart(const HtmlReport& report);  // latency by percentile
std::string latency_histogram(const HtmlReport& report);
std::string latency_distribution(const HtmlReport& report);  // cumulative
std::string latency_table(const HtmlReport& report);         // percentiles

// Draws the packet loss of each trial of a search by its rate.
std::string search_chart(const HtmlSearch& search);

// Returns the table below the bars, with a sparkline of the rates of each queue over time if there
// are several queues.
std::string queue_table(const HtmlReport& report);

}  // namespace manactl::report
