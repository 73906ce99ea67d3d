// SPDX-License-Identifier: MIT

#include "cli/decode/hex_lines.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace manactl::cli {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdefABCDEF";

// Whitespace, and the punctuation of a C array.
constexpr std::string_view kSeparators = " \t,;{}";

// Longer lines have neither an offset nor a log prefix: searching them would take quadratic time.
constexpr std::size_t kMaxSearched = 2048;

bool has_group_width(std::string_view text) {
  return text.size() == 2 || text.size() == 4 || text.size() == 8 || text.size() == 16;
}

bool is_group(std::string_view word) {
  return has_group_width(word) && is_hex_digits(word);
}

bool is_offset(std::string_view word, std::size_t min) {
  return word.size() >= min && word.size() <= 16 && is_hex_digits(word);
}

std::string_view without_number_prefix(std::string_view word) {
  return word.starts_with("0x") || word.starts_with("0X") ? word.substr(2) : word;
}

std::vector<std::string_view> split_words(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < text.size();) {
    const auto begin = text.find_first_not_of(kSeparators, at);
    if (begin == std::string_view::npos) break;
    at = std::min(text.find_first_of(kSeparators, begin), text.size());
    found.push_back(text.substr(begin, at - begin));
  }
  return found;
}

// Splits a line into groups and the text column, which follows two spaces.
void split_ascii(std::string_view body, HexLine& line) {
  const auto gap = body.find("  ");
  line.groups = words(body.substr(0, gap));
  if (gap == std::string_view::npos) return;
  const auto column = body.find_first_not_of(' ', gap);
  if (column != std::string_view::npos) line.ascii = body.substr(column);
}

// True if all groups are as wide as the first. The last may be shorter.
bool are_uniform(const std::vector<std::string_view>& groups) {
  if (groups.empty() || !is_group(groups.front())) return false;
  const auto width = groups.front().size();
  const bool same = std::all_of(groups.begin(), groups.end() - 1, [&](std::string_view group) {
    return group.size() == width && is_hex_digits(group);
  });
  const auto last = groups.back();
  return same && is_hex_digits(last) && last.size() % 2 == 0 && last.size() <= width;
}

bool parse_canonical(std::string_view text, HexLine& line) {
  const auto bar = text.find("  |");
  if (!text.ends_with('|') || bar == std::string_view::npos || bar + 3 >= text.size()) return false;
  auto groups = words(text.substr(0, bar));
  if (groups.size() < 2 || !is_offset(groups.front(), 7)) return false;
  line.form = LineForm::canonical;
  line.offset = groups.front();
  groups.erase(groups.begin());
  line.groups = std::move(groups);
  line.ascii = text.substr(bar + 3, text.size() - bar - 4);
  return are_uniform(line.groups);
}

// Finds the first "offset: " before groups of equal width. Text before the offset is a log prefix.
bool parse_colon(std::string_view text, HexLine& line) {
  if (text.size() > kMaxSearched) return false;
  bool found = false;
  for (auto colon = text.find(": "); colon != std::string_view::npos;
       colon = text.find(": ", colon + 1)) {
    const auto blank = text.substr(0, colon).find_last_of(" \t");
    const auto begin = blank == std::string_view::npos ? 0 : blank + 1;
    const auto offset = text.substr(begin, colon - begin);
    const auto next = words(text.substr(colon + 2));
    if (!is_offset(offset, 7) || next.empty() || !is_group(next.front())) continue;
    line.has_prefix = begin > 0;
    line.offset = offset;
    auto body = text.substr(colon + 2);
    body.remove_prefix(body.find_first_not_of(' '));
    split_ascii(body, line);
    found = are_uniform(line.groups);
    if (found) break;
  }
  if (found) line.form = LineForm::colon;
  return found;
}

// od and hexdump print offsets of seven digits. A group of bytes never has seven digits.
bool parse_octal(std::string_view text, HexLine& line) {
  constexpr std::size_t kDigits = 7;
  auto groups = words(text);
  if (groups.empty() || groups.front().size() != kDigits || !is_hex_digits(groups.front())) {
    return false;
  }
  line.offset = groups.front();
  groups.erase(groups.begin());
  if (!groups.empty() && !are_uniform(groups)) return false;
  line.groups = std::move(groups);
  line.form = LineForm::octal;
  return true;
}

bool parse_plain(std::string_view text, HexLine& line) {
  line.groups = split_words(text);
  const auto invalid =
      std::find_if(line.groups.begin(), line.groups.end(), [](std::string_view word) {
        return !is_hex_digits(without_number_prefix(word));
      });
  if (invalid != line.groups.end()) {
    if (line.invalid_word.empty()) line.invalid_word = *invalid;
    return false;
  }
  line.form = LineForm::plain;
  return !line.groups.empty();
}

// Parses a line without an offset, but with a log prefix or text: "[   12.3] mana: 01 02  ..".
bool parse_prefixed(std::string_view text, HexLine& line) {
  if (text.size() > kMaxSearched) return false;
  for (std::size_t begin = 0; begin < text.size();) {
    split_ascii(trim(text.substr(begin)), line);
    if (are_uniform(line.groups)) {
      line.form = LineForm::plain;
      line.has_prefix = begin > 0;
      return true;
    }
    const auto colon = text.find(": ", begin);
    begin = colon == std::string_view::npos ? text.size() : colon + 2;
  }
  return false;
}

}  // namespace

bool is_hex_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

HexLine parse_hex_line(std::string_view text) {
  constexpr std::array kForms = {
      parse_canonical, parse_colon, parse_octal, parse_plain, parse_prefixed};
  std::string_view invalid_word;
  const auto trimmed = trim(text);
  if (trimmed == "*") {
    HexLine line;
    line.form = LineForm::repeated;
    return line;
  }
  for (const auto parse : kForms) {
    HexLine line;
    if (parse(trimmed, line)) return line;
    if (!line.invalid_word.empty()) invalid_word = line.invalid_word;
  }
  HexLine line;
  line.invalid_word = invalid_word;
  return line;
}

}  // namespace manactl::cli
