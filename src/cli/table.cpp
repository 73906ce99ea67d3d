// SPDX-License-Identifier: MIT

#include "cli/table.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {

void print_table(Screen& screen, const std::vector<TableRow>& rows) {
  constexpr std::size_t kMaxCell = 1000;
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], printable(row[i], kMaxCell).size());
    }
  }
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      line += fmt::format("{:<{}}  ", printable(row[i], kMaxCell), widths[i]);
    }
    const auto margin = static_cast<unsigned>(line.size());
    const auto width = std::max(screen.width(), margin + 1) - margin;
    const auto color = &row == &rows.front() ? Color::bold : Color::none;
    for (const auto& piece : wrap_lines(printable(row.back(), kMaxCell), width)) {
      screen.stream() << screen.paint(color, line + piece) << '\n';
      line.assign(margin, ' ');
    }
  }
}

}  // namespace manactl::cli
