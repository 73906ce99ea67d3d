// SPDX-License-Identifier: MIT

#include "cli/html_report.h"

#include <fmt/format.h>

#include "cli/html_charts.h"
#include "cli/html_text.h"

namespace manactl::cli {
namespace {

std::string section(std::string_view heading, const std::string& content) {
  return content.empty() ? content : fmt::format("<h2>{}</h2>\n{}", heading, content);
}

std::vector<std::string> told(const std::vector<HtmlSpan>& spans) {
  std::vector<std::string> lines;
  for (const auto& span : spans) {
    lines.push_back(fmt::format("{:.1f} to {:.1f} s: {}", span.from, span.to, span.why));
  }
  return lines;
}

}  // namespace

std::string html_page(const HtmlReport& report) {
  auto page = page_head(report.title, report.subtitle);
  page += warnings_of(report.warnings) + figures_of(report.figures);
  page += section("Throughput over time", rate_chart(report));
  page += list_of("Disturbed", told(report.disturbed));
  page += section("Latency", latency_chart(report));
  page += section("Queues", queue_chart(report) + queue_table(report));
  for (const auto& table : report.tables) page += table_of(table);
  page += rows_of("Configuration", report.configuration);
  page += rows_of("Environment", report.environment);
  page += list_of("Notes", report.notes);
  return page + page_foot(report.made_by);
}

}  // namespace manactl::cli
