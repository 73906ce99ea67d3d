// SPDX-License-Identifier: MIT

#include "host/scrub_text.h"

#include <algorithm>

namespace manactl::host {

bool follows_escape(std::string_view text, std::size_t at) {
  constexpr std::string_view kLetters = "abefnrtv0";
  const auto before = text.substr(0, at);
  if (before.empty()) return false;
  // The character that is `distance` before the end; almost all texts end at the first comparison.
  const auto from_end = [&](std::size_t distance) {
    return distance <= before.size() ? before[before.size() - distance] : '\0';
  };
  const auto ends_with_hex = [&](std::size_t digits) {
    const auto code = before.substr(before.size() - digits);
    return std::all_of(code.begin(), code.end(), is_hex);
  };
  if (from_end(2) == '\\' && kLetters.find(before.back()) != std::string_view::npos) return true;
  // "\x1b" of printable(), "\u001b" of JSON, "#033" of rsyslog
  if (from_end(4) == '\\' && from_end(3) == 'x' && ends_with_hex(2)) return true;
  if (from_end(6) == '\\' && from_end(5) == 'u' && ends_with_hex(4)) return true;
  if (from_end(4) == '#' && from_end(3) == '0' && ends_with_hex(2)) return true;
  if (before.back() != 'm' && before.back() != 'K') return false;
  const auto color = before.substr(0, before.size() - 1).find_last_not_of("0123456789;");
  return color != std::string_view::npos && before[color] == '[';
}

namespace {

// The end of the control sequence "ESC [ digits letter" that begins at `at`; at + 1 if it has no
// end.
std::size_t color_end(std::string_view text, std::size_t at) {
  constexpr std::size_t kMaxColor = 32;
  for (std::size_t end = at + 2; end < std::min(text.size(), at + kMaxColor); ++end) {
    if (text[end] == '\n') return end;
    if (text[end] >= '@' && text[end] <= '~') return end + 1;
  }
  return at + 1;
}

}  // namespace

void visit_parts(std::string_view text, const std::function<void(std::string_view)>& visit) {
  constexpr char kEscape = '\x1b';
  constexpr std::string_view kControls("\0\x1b", 2);
  for (;;) {
    const auto at = text.find_first_of(kControls);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    std::size_t end = at + 1;
    if (text[at] == kEscape && at_or_end(text, end) == '[') {
      end = color_end(text, at);
    } else if (text[at] == kEscape && end < text.size() && text[end] != '\n') {
      ++end;
    }
    text.remove_prefix(end);
  }
}

}  // namespace manactl::host
