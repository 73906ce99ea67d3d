// SPDX-License-Identifier: MIT
//
// Compares records with bytes in hexadecimal text.

#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "wire/codec.h"

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

template <class T>
void expect_bytes(const T& value, std::string_view text) {
  const auto bytes = wire::encode(value);
  ASSERT_TRUE(bytes.has_value()) << wire::describe(bytes.error());
  EXPECT_TRUE(std::ranges::equal(*bytes, hex(text)));
  const auto back = wire::decode<T>(hex(text));
  ASSERT_TRUE(back.has_value()) << wire::describe(back.error());
  EXPECT_TRUE(*back == value);
}

}  // namespace manactl::test
