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

// Writes the last cell of a row after the others, which are in `line`.
void write_last(Screen& screen, std::string line, const std::string& cell, Color color) {
  const auto margin = static_cast<unsigned>(line.size());
  const auto width = std::max(screen.width(), margin + 1) - margin;
  auto pieces = wrap_lines(cell, width);
  if (pieces.empty()) pieces.emplace_back();
  for (const auto& piece : pieces) {
    screen.stream() << screen.paint(color, line + piece) << '\n';
    line.assign(margin, ' ');
  }
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
      write_last(screen, std::move(line), shown(row.back()), color);
      continue;
    }
    screen.stream() << screen.paint(color, line.substr(0, line.find_last_not_of(' ') + 1)) << '\n';
    if (is_heading) continue;
    write_last(screen, fmt::format("  {}: ", rows.front().back()), shown(row.back()), color);
  }
}

}  // namespace manactl::cli
