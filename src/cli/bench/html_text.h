// SPDX-License-Identifier: MIT
//
// The parts that every HTML page has: head and foot, tables, lists. All text is escaped on its way
// in.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/html_report.h"

namespace manactl::cli {

// Text from outside for a place in HTML or SVG: one line, without control characters.
std::string escape(std::string_view text);

// 854400000 as "854 400 000", with blanks that do not break the line.
std::string grouped(std::uint64_t number);

// From the doctype to the headline. The page forbids itself scripts and the network.
std::string page_head(std::string_view title, std::string_view subtitle);
std::string page_foot(std::string_view made_by);

// These answer nothing where there is nothing to show.
std::string list_of(std::string_view heading, const std::vector<std::string>& lines);
std::string warnings_of(const std::vector<std::string>& lines);
std::string figures_of(const std::vector<HtmlRow>& figures, std::string_view style = {});
std::string rows_of(std::string_view heading, const std::vector<HtmlRow>& rows);
std::string table_of(const HtmlTable& table);

// A chart with what stands below it: `legend` is items, `caption` text.
std::string figure_of(std::string_view label,
                      std::string_view svg,
                      std::string_view legend,
                      std::string_view caption);

}  // namespace manactl::cli
