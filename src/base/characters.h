// SPDX-License-Identifier: MIT
//
// Classes of ASCII characters. Unlike those of <cctype>, they do not depend on the locale, and
// every char is a valid argument.

#pragma once

namespace manactl {

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_octal_digit(char c) {
  return c >= '0' && c <= '7';
}

constexpr bool is_alphanumeric(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

constexpr char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

}  // namespace manactl
