// SPDX-License-Identifier: MIT
#include "base/characters.h"

#include <gtest/gtest.h>

#include <climits>
#include <string>

namespace manactl::characters_test {
namespace {

std::string members(bool (*is_member)(char)) {
  std::string found;
  for (int c = CHAR_MIN; c <= CHAR_MAX; ++c) {
    if (is_member(static_cast<char>(c))) found += static_cast<char>(c);
  }
  return found;
}

TEST(Characters, HaveTheClassesOfAscii) {
  EXPECT_EQ(members(is_digit), "0123456789");
  EXPECT_EQ(members(is_octal_digit), "01234567");
  EXPECT_EQ(members(is_alphanumeric),
            "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz");
}

}  // namespace
}  // namespace manactl::characters_test
