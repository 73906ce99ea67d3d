// SPDX-License-Identifier: MIT

#include "report/html/page.h"

#include <fmt/format.h>

#include "report/html/charts.h"
#include "report/html/elements.h"

namespace manactl::report {
namespace {

std::string section(std::string_view heading, const std::string& content) {
  return content.empty() ? content : fmt::format("<h2>{}</h2>\n{}", heading, content);
}

std::vector<HtmlSpan> merge_adjacent(const std::vector<HtmlSpan>& spans) {
  constexpr double kMaxGap = 1e-6;  // seconds; allows for rounding errors of summed intervals
  std::vector<HtmlSpan> merged;
  for (const auto& span : spans) {
    if (!merged.empty() && merged.back().reason == span.reason &&
        span.from <= merged.back().to + kMaxGap) {
      merged.back().to = span.to;
    } else {
      merged.push_back(span);
    }
  }
  return merged;
}

std::vector<std::string> lines_of(const std::vector<HtmlSpan>& spans) {
  constexpr std::size_t kMaxLines = 40;
  std::vector<std::string> lines;
  for (const auto& span : spans) {
    if (lines.size() == kMaxLines) {
      lines.push_back(fmt::format("and {} more", spans.size() - kMaxLines));
      break;
    }
    lines.push_back(fmt::format("{:.1f} to {:.1f} s: {}", span.from, span.to, span.reason));
  }
  return lines;
}

}  // namespace

std::string html_page(const HtmlReport& report) {
  const auto disturbed = merge_adjacent(report.disturbed);
  auto page = page_head(report.title, report.subtitle);
  page += warnings_html(report.warnings) + figures_html(report.figures);
  page += section("Throughput over time", rate_chart(report, disturbed));
  page += list_html("Disturbed intervals", lines_of(disturbed));
  page += section("Loss by rate", search_chart(report.search));
  for (const auto& table : report.search_tables) page += table_html(table);
  page += list_html("Data path", report.path);
  page += section("Latency",
                  latency_chart(report) + latency_histogram(report) + latency_distribution(report) +
                      latency_table(report));
  page += section("Queues", queue_chart(report) + queue_table(report));
  for (const auto& table : report.tables) page += table_html(table);
  page += "<div class=\"columns\">\n";
  page += rows_html("Configuration", report.configuration);
  page += rows_html("Environment", report.environment);
  page += "</div>\n";
  page += list_html("Notes", report.notes);
  return page + page_foot(report.footer);
}

}  // namespace manactl::report
