// SPDX-License-Identifier: MIT

#include "report/html/elements.h"

#include <fmt/format.h>

#include "base/characters.h"
#include "base/text.h"
#include "report/result.h"
#include "report/units.h"

namespace manactl::embedded {
extern const std::string_view report_css;
}  // namespace manactl::embedded

namespace manactl::report {
namespace {

constexpr std::size_t kMaxBytes = 4000;  // longer untrusted text is cut

std::string heading_of(std::string_view heading) {
  return heading.empty() ? std::string() : fmt::format("<h2>{}</h2>\n", escape(heading));
}

std::string items_of(const std::vector<std::string>& lines) {
  std::string items;
  for (const auto& line : lines) items += fmt::format("<li>{}</li>\n", escape(line));
  return items;
}

// Returns the escaped text without line breaks between a number and its unit.
std::string with_whole_quantities(std::string_view escaped) {
  std::string text;
  for (std::size_t i = 0; i < escaped.size(); ++i) {
    const bool is_inner = i > 0 && i + 1 < escaped.size() && escaped[i] == ' ';
    const bool is_break =
        is_inner && is_digit(escaped[i - 1]) && escaped[i + 1] != '(' && escaped[i + 1] != '-';
    text += is_break ? std::string_view("&#160;") : escaped.substr(i, 1);
  }
  return text;
}

}  // namespace

std::string escape(std::string_view text) {
  std::string safe;
  for (const char c : printable(text, kMaxBytes)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      case '\'':
        safe += "&#39;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string grouped(std::uint64_t number) {
  return manactl::grouped(number, "\u202f");
}

std::string page_head(std::string_view title, std::string_view subtitle) {
  const auto name = escape(title);
  std::string head =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
      "style-src 'unsafe-inline'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n";
  head += fmt::format("<title>{} - manactl</title>\n<style>\n", name);
  head += embedded::report_css;
  head += fmt::format("</style>\n</head>\n<body>\n<header>\n<h1>{}</h1>\n", name);
  if (!subtitle.empty()) head += fmt::format("<p>{}</p>\n", escape(subtitle));
  return head + "</header>\n<main>\n";
}

std::string page_foot(std::string_view footer) {
  return fmt::format("</main>\n<footer>{}</footer>\n</body>\n</html>\n", escape(footer));
}

std::string list_html(std::string_view heading, const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  return fmt::format("{}<ul>\n{}</ul>\n", heading_of(heading), items_of(lines));
}

std::string warnings_html(const std::vector<std::string>& lines) {
  if (lines.empty()) return {};
  return fmt::format("<ul class=\"warn\" aria-label=\"warnings\">\n{}</ul>\n", items_of(lines));
}

std::string figures_html(const HtmlRows& figures, std::string_view style) {
  if (figures.empty()) return {};
  auto text = fmt::format("<dl class=\"figures {}\">\n", style);
  for (const auto& [name, value] : figures) {
    text += fmt::format(
        "<div><dt>{}</dt><dd>{}</dd></div>\n", escape(name), with_whole_quantities(escape(value)));
  }
  return text + "</dl>\n";
}

std::string name_cell(std::string_view name) {
  return fmt::format("<th scope=\"row\">{}</th>", escape(name));
}

std::string value_cell(std::string_view value) {
  return fmt::format("<td>{}</td>", escape(value));
}

std::string rows_html(std::string_view heading, const HtmlRows& rows) {
  if (rows.empty()) return {};
  auto text = "<section>\n" + heading_of(heading) + "<table class=\"rows\">\n<tbody>\n";
  for (const auto& [name, value] : rows) {
    text += "<tr>" + name_cell(label_of(name)) + value_cell(value) + "</tr>\n";
  }
  return text + "</tbody>\n</table>\n</section>\n";
}

std::string table_start(std::string_view label, const std::vector<std::string>& columns) {
  auto text = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{}\">\n"
      "<table class=\"numbers\">\n<thead><tr>",
      escape(label));
  for (const auto& column : columns) {
    text += fmt::format("<th scope=\"col\">{}</th>", escape(column));
  }
  return text + "</tr></thead>\n<tbody>\n";
}

std::string table_html(const HtmlTable& table) {
  if (table.rows.empty()) return {};
  auto text = heading_of(table.title) + table_start(table.title, table.columns);
  for (const auto& row : table.rows) {
    text += "<tr>" + name_cell(label_of(row.front()));
    for (std::size_t i = 1; i < row.size(); ++i) text += value_cell(row[i]);
    text += "</tr>\n";
  }
  return text.append(kTableEnd);
}

std::string chart_html(std::string_view label,
                       std::string_view svg,
                       std::string_view legend,
                       std::string_view caption) {
  auto text = fmt::format(
      "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" "
      "aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>",
      escape(label),
      svg);
  if (!legend.empty()) text += fmt::format("<ul class=\"legend\">\n{}</ul>\n", legend);
  return text + fmt::format("{}</figcaption>\n</figure>\n", escape(caption));
}

}  // namespace manactl::report
