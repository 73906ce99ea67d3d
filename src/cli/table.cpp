// SPDX-License-Identifier: MIT

#include "cli/table.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxCell = 1000;

std::string shown(const std::string& cell) {
  return printable(cell, kMaxCell);
}

}  // namespace

void print_table(Screen& screen, const std::vector<TableRow>& rows) {
  constexpr std::size_t kMinLast = 20;  // a narrower cell would have one word in each line
  std::vector<std::size_t> widths;
  std::size_t total = 0;  // of the columns before the last one
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], shown(row[i]).size());
    }
  }
  for (std::size_t i = 0; i + 1 < widths.size(); ++i) total += widths[i] + 2;
  const bool is_narrow =
      !rows.empty() && total + std::min(widths.back(), kMinLast) > screen.width();
  for (const auto& row : rows) {
    const bool is_heading = &row == &rows.front();
    const auto color = is_heading ? Color::bold : Color::none;
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += fmt::format("{:<{}}  ", shown(row[i]), widths[i]);
    }
    if (!is_narrow) {
      write_indented(screen, line, shown(row.back()), color);
      continue;
    }
    screen.stream() << screen.paint(color, line.substr(0, line.find_last_not_of(' ') + 1)) << '\n';
    if (is_heading) continue;
    write_indented(screen, fmt::format("  {}: ", rows.front().back()), shown(row.back()));
  }
}

}  // namespace manactl::cli
