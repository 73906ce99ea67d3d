// SPDX-License-Identifier: MIT

#include "cli/check_help.h"

#include <algorithm>

#include "base/text.h"
#include "cli/help.h"
#include "cli/table.h"
#include "diag/check.h"

namespace manactl::embedded {
extern const std::string_view checks_document;
}  // namespace manactl::embedded

namespace manactl::cli {
namespace {

// Returns the text between the heading of this check and the next heading.
std::string_view section_of(std::string_view id) {
  const auto document = embedded::checks_document;
  const auto heading = fmt::format("\n### {}\n", id);
  const auto at = document.find(heading);
  if (at == std::string_view::npos) return {};
  const auto text = document.substr(at + heading.size());
  return text.substr(0, text.find("\n#"));
}

// Removes the marks of Markdown for code and emphasis. An asterisk in code is not a mark.
std::string without_marks(std::string_view line) {
  std::string text;
  bool is_code = false;
  for (const char c : line) {
    if (c == '`') is_code = !is_code;
    const bool is_mark = c == '`' || (c == '*' && !is_code);
    if (!is_mark) text += c;
  }
  return text;
}

void flush_paragraph(Screen& screen, std::string& paragraph) {
  if (!paragraph.empty()) screen.stream() << wrap(paragraph, screen.width(), 0) << '\n';
  paragraph.clear();
}

// Returns the cells of "| a | b |"; none for the line below the heading, "|---|---|".
TableRow cells_of(std::string_view line) {
  TableRow cells;
  if (line.find_first_not_of("|-: ") == std::string_view::npos) return cells;
  line = trim(line);
  line.remove_prefix(1);
  if (line.ends_with('|')) line.remove_suffix(1);
  for (const auto cell : split(line, '|')) cells.push_back(without_marks(trim(cell)));
  return cells;
}

// Prints the table that ends before the current line.
void flush_table(Screen& screen, std::vector<TableRow>& rows) {
  if (!rows.empty()) print_table(screen, rows);
  rows.clear();
}

// Prints the checks of a group such as "rdma", or those that begin with a part of an id such as
// "rdma.d". Returns false if there are none.
bool print_matching_checks(Screen& screen, std::string_view prefix) {
  const bool is_part_of_id = prefix.find('.') != std::string_view::npos;
  std::vector<const diag::Check*> matches;
  for (const auto& check : diag::all_checks()) {
    const bool matches_part = is_part_of_id && check.id.starts_with(prefix);
    if (check.group() == prefix || matches_part) matches.push_back(&check);
  }
  if (matches.empty()) return false;
  screen.stream() << "Checks; 'manactl help CHECK' explains one:\n";
  for (const auto* check : matches) {
    print_row(screen, std::string(check->id), std::string(check->title));
  }
  return true;
}

}  // namespace

bool print_check_help(Screen& screen, std::string_view id) {
  const auto* const check = diag::find_check(id);
  if (check == nullptr) return print_matching_checks(screen, id);
  screen.stream() << screen.paint(Color::bold, id) << ": " << check->title << '\n';
  std::string paragraph;
  std::vector<TableRow> table;
  for (const auto line : split(section_of(id), '\n')) {
    const bool is_row = line.starts_with('|');
    const bool is_fixed = line.empty() || line.starts_with("    ");
    if (is_row || is_fixed || line.starts_with("*What")) flush_paragraph(screen, paragraph);
    if (!is_row) flush_table(screen, table);
    if (is_row) {
      if (auto cells = cells_of(line); !cells.empty()) table.push_back(std::move(cells));
    } else if (is_fixed) {
      screen.stream() << without_marks(line) << '\n';
    } else {
      paragraph += without_marks(line) + ' ';
    }
  }
  flush_paragraph(screen, paragraph);
  flush_table(screen, table);
  return true;
}

}  // namespace manactl::cli
