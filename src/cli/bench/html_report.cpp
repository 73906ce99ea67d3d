// SPDX-License-Identifier: MIT

#include "cli/bench/html_report.h"

#include <fmt/format.h>

#include "cli/bench/html_charts.h"
#include "cli/bench/html_text.h"

namespace manactl::cli {
namespace {

std::string section(std::string_view heading, const std::string& content) {
  return content.empty() ? content : fmt::format("<h2>{}</h2>\n{}", heading, content);
}

std::vector<HtmlSpan> joined(const std::vector<HtmlSpan>& spans) {
  constexpr double kGap = 1e-6;  // seconds, for sums of intervals
  std::vector<HtmlSpan> few;
  for (const auto& span : spans) {
    if (!few.empty() && few.back().why == span.why && span.from <= few.back().to + kGap) {
      few.back().to = span.to;
    } else {
      few.push_back(span);
    }
  }
  return few;
}

std::vector<std::string> told(const std::vector<HtmlSpan>& spans) {
  constexpr std::size_t kMost = 40;
  std::vector<std::string> lines;
  for (const auto& span : spans) {
    if (lines.size() == kMost) {
      lines.push_back(fmt::format("and {} more", spans.size() - kMost));
      break;
    }
    lines.push_back(fmt::format("{:.1f} to {:.1f} s: {}", span.from, span.to, span.why));
  }
  return lines;
}

}  // namespace

std::string html_page(const HtmlReport& report) {
  const auto disturbed = joined(report.disturbed);
  auto page = page_head(report.title, report.subtitle);
  page += warnings_of(report.warnings) + figures_of(report.figures);
  page += section("Throughput over time", rate_chart(report, disturbed));
  page += list_of("Disturbed", told(disturbed));
  page += list_of("Path", report.path);
  page += section("Latency", latency_chart(report));
  page += section("Queues", queue_chart(report) + queue_table(report));
  for (const auto& table : report.tables) page += table_of(table);
  page += "<div class=\"beside\">\n";
  page += rows_of("Configuration", report.configuration);
  page += rows_of("Environment", report.environment);
  page += "</div>\n";
  page += list_of("Notes", report.notes);
  return page + page_foot(report.made_by);
}

}  // namespace manactl::cli
