// SPDX-License-Identifier: MIT
//
// Bytes written as hexadecimal text, the way they are read in a dump.

#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace manactl::test {

constexpr std::uint8_t nibble(char digit) {
  return static_cast<std::uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

inline std::vector<std::uint8_t> hex(std::string_view text) {
  std::vector<std::uint8_t> bytes;
  bool high = true;
  for (const char c : text) {
    if (c == ' ') continue;
    if (high) bytes.push_back(0);
    bytes.back() = static_cast<std::uint8_t>((bytes.back() << 4U) | nibble(c));
    high = !high;
  }
  return bytes;
}

}  // namespace manactl::test
