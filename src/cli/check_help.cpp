// SPDX-License-Identifier: MIT

#include "cli/check_help.h"

#include <algorithm>

#include "base/text.h"
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

}  // namespace

bool print_check_help(Screen& screen, std::string_view id) {
  const auto* const check = diag::find_check(id);
  if (check == nullptr) return false;
  screen.stream() << screen.paint(Color::bold, id) << ": " << check->title << '\n';
  std::string paragraph;
  for (const auto line : split(section_of(id), '\n')) {
    const bool is_fixed = line.empty() || line.starts_with('|') || line.starts_with("    ");
    if (is_fixed || line.starts_with("*What")) flush_paragraph(screen, paragraph);
    if (is_fixed) {
      screen.stream() << without_marks(line) << '\n';
    } else {
      paragraph += without_marks(line) + ' ';
    }
  }
  flush_paragraph(screen, paragraph);
  return true;
}

}  // namespace manactl::cli
