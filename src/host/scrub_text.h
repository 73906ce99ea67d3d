// SPDX-License-Identifier: MIT
//
// Characters and the ends of words in texts that scrub.h scrubs.

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/characters.h"
#include "base/text.h"

namespace manactl::host {

// A bundle with this many MAC addresses, IP addresses or names is not written. It bounds the
// memory.
inline constexpr std::size_t kMaxKnown = 300'000;

inline bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

inline char at_or_end(std::string_view text, std::size_t at) {
  return at < text.size() ? text[at] : '\0';
}

// Appends the value of a hexadecimal digit.
inline std::uint64_t with_digit(std::uint64_t value, char digit) {
  const auto low =
      static_cast<std::uint64_t>(is_digit(digit) ? digit - '0' : lower(digit) - 'a' + 10);
  return (value << 4U) | low;
}

// True if the text before `at` ends with an escape sequence in letters: "\n" and "\x1b" of JSON and
// of printable(), or a color such as "[31m". The letters are then not part of the word at `at`.
bool follows_escape(std::string_view text, std::size_t at);

// Calls visit(part) for the parts of a text between NUL bytes and escape sequences, which
// diag::LogReader ignores, too. A list of them could be 16 times as large as the text.
void visit_parts(std::string_view text, const std::function<void(std::string_view)>& visit);

// True in the digits of "0x12", at the first of them.
inline bool follows_0x(std::string_view text, std::size_t at) {
  return at >= 2 && lower(text[at - 1]) == 'x' && text[at - 2] == '0';
}

inline bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || !is_alphanumeric(text[at - 1]) || follows_escape(text, at);
}

}  // namespace manactl::host
