// SPDX-License-Identifier: MIT
//
// HTML elements that all pages share: head and foot, tables, lists. These functions escape the text
// of all parameters except `svg` and `legend`.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "report/html/page.h"

namespace manactl::report {

// Returns untrusted text as one line without control characters that is safe in HTML and SVG.
std::string escape(std::string_view text);

// 854400000 as "854 400 000", with narrow no-break spaces.
std::string grouped(std::uint64_t number);

// Returns the page up to its header. Its Content-Security-Policy forbids scripts and network use.
std::string page_head(std::string_view title, std::string_view subtitle);
std::string page_foot(std::string_view footer);

// These functions return an empty string if there is nothing to show.
std::string list_html(std::string_view heading, const std::vector<std::string>& lines);
std::string warnings_html(const std::vector<std::string>& lines);
std::string figures_html(const HtmlRows& figures, std::string_view style = {});
std::string rows_html(std::string_view heading, const HtmlRows& rows);
std::string table_html(const HtmlTable& table);

// Returns the start of a table, up to the first row of its body. kTableEnd closes the table.
std::string table_start(std::string_view label, const std::vector<std::string>& columns);
inline constexpr std::string_view kTableEnd = "</tbody>\n</table>\n</div>\n";

// name_cell() returns the first cell of a row (<th>), value_cell() each other cell (<td>).
std::string name_cell(std::string_view name);
std::string value_cell(std::string_view value);

// A chart with its legend (list items) and caption.
std::string chart_html(std::string_view label,
                       std::string_view svg,
                       std::string_view legend,
                       std::string_view caption);

}  // namespace manactl::report
