// SPDX-License-Identifier: MIT

#include "host/scrub_text.h"

#include <algorithm>

namespace manactl::host {

bool follows_escape(std::string_view text, std::size_t at) {
  constexpr std::string_view kLetters = "abefnrtv0";
  const auto before = text.substr(0, at);
  if (before.empty()) return false;
  const auto is_code = [&](std::string_view start, std::size_t digits) {
    if (before.size() < start.size() + digits) return false;
    const auto code = before.substr(before.size() - start.size() - digits);
    return code.starts_with(start) &&
           std::all_of(
               code.begin() + static_cast<std::ptrdiff_t>(start.size()), code.end(), is_hex);
  };
  if (before.size() >= 2 && before[before.size() - 2] == '\\' &&
      kLetters.find(before.back()) != std::string_view::npos) {
    return true;
  }
  // "\x1b" of printable(), "\u001b" of JSON, "#033" of rsyslog
  if (is_code("\\x", 2) || is_code("\\u", 4) || is_code("#0", 2)) return true;
  if (before.back() != 'm' && before.back() != 'K') return false;
  const auto color = before.substr(0, before.size() - 1).find_last_not_of("0123456789;");
  return color != std::string_view::npos && before[color] == '[';
}

void visit_parts(std::string_view text, const std::function<void(std::string_view)>& visit) {
  constexpr char kEscape = '\x1b';
  constexpr std::string_view kControls("\0\x1b", 2);
  constexpr std::size_t kMaxLength = 32;
  for (;;) {
    const auto at = text.find_first_of(kControls);
    visit(text.substr(0, at));
    if (at == std::string_view::npos) return;
    std::size_t end = at + 1;
    if (text[at] == kEscape && at_or_end(text, end) == '[') {
      // A color is "ESC [ digits letter".
      const auto color = text.substr(0, at + kMaxLength);
      const auto last = std::find_if(color.begin() + static_cast<std::ptrdiff_t>(end) + 1,
                                     color.end(),
                                     [](char c) { return c == '\n' || (c >= '@' && c <= '~'); });
      if (last != color.end())
        end = static_cast<std::size_t>(last - color.begin()) + (*last == '\n' ? 0 : 1);
    } else if (text[at] == kEscape && end < text.size() && text[end] != '\n') {
      ++end;
    }
    text.remove_prefix(end);
  }
}

}  // namespace manactl::host
