// SPDX-License-Identifier: MIT

#include "cli/bench/one_screen.h"

#include <algorithm>

#include "base/text.h"

namespace manactl::cli {
namespace {

constexpr std::size_t kMaxRows = 16;
constexpr unsigned kColumns = 80;
constexpr unsigned kLabelWidth = 22;

// Each line ends with a newline.
std::string row_text(const std::string& label, const std::string& value, unsigned width) {
  constexpr std::size_t kMaxBytes = 4000;
  auto lines = wrap_lines(printable(value, kMaxBytes), width - kLabelWidth);
  if (lines.empty()) lines.emplace_back();
  std::string text;
  auto left = "  " + label;
  for (const auto& line : lines) {
    text += fmt::format("{:<{}}{}\n", left, kLabelWidth, line);
    left.clear();
  }
  return text;
}

std::string paragraph_text(const std::string& text, unsigned width) {
  return wrap(printable(text), width, 2) + '\n';
}

unsigned counted_width(const Screen& screen) {
  return std::min(screen.width(), kColumns);
}

// A line that is longer than the width, because it is one word, takes several rows.
std::size_t rows_in(const std::string& text, unsigned width) {
  std::size_t rows = 0;
  for (const auto line : split(text, '\n')) rows += (line.size() + width - 1) / width;
  return rows;
}

// All lines of the body, formatted for this width.
std::vector<std::string> blocks_of(const Body& body, unsigned width) {
  std::vector<std::string> blocks;
  for (const auto& [label, value] : body.rows) blocks.push_back(row_text(label, value, width));
  for (const auto& note : body.notes) blocks.push_back(paragraph_text(note, width));
  return blocks;
}

// Returns how many blocks fit if the last row is kept for the number of those that do not.
std::size_t count_fitting(const std::vector<std::string>& blocks,
                          std::size_t other_rows,
                          unsigned width) {
  std::size_t rows = other_rows, fitting = 0;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    rows += rows_in(blocks[i], width);
    if (rows < kMaxRows) fitting = i + 1;
  }
  return rows <= kMaxRows ? blocks.size() : fitting;
}

}  // namespace

void print_rows(Screen& screen, const report::Rows& rows) {
  for (const auto& [label, value] : rows) {
    screen.stream() << row_text(label, value, screen.width());
  }
}

void print_paragraph(Screen& screen, const std::string& text) {
  screen.stream() << paragraph_text(text, screen.width());
}

void print_body(Screen& screen, const Body& body, int verbosity) {
  const auto blocks = blocks_of(body, screen.width());
  auto end = blocks.size();
  if (verbosity == 0) {
    const auto width = counted_width(screen);
    end = count_fitting(blocks_of(body, width), body.other_rows, width);
  }
  for (std::size_t i = 0; i < end; ++i) screen.stream() << blocks[i];
  if (end == blocks.size()) return;
  const auto* noun = end < body.rows.size() ? "more line" : "more note";
  print_paragraph(screen, counted(blocks.size() - end, noun) + " (-v)");
}

std::size_t rows_on_screen(const Screen& screen, const std::string& text) {
  const auto width = counted_width(screen);
  return rows_in(join(wrap_lines(text, width), "\n"), width);
}

std::string shortened(const std::string& value, int verbosity) {
  constexpr std::size_t kMaxBytes = std::size_t{3} * (kColumns - kLabelWidth);
  return verbosity > 0 ? value : printable(value, kMaxBytes);
}

}  // namespace manactl::cli
