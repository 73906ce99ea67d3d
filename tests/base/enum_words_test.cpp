// SPDX-License-Identifier: MIT

#include "base/enum_words.h"

#include <gtest/gtest.h>

namespace manactl::enum_words_test {
namespace {

enum class Color { red, green, blue };

constexpr EnumWords<Color, 2> kColorWords{{{Color::red, "red"}, {Color::green, "green"}}};

TEST(EnumWords, FindsTheWordOfAnEnumerator) {
  EXPECT_EQ(word_of(kColorWords, Color::green), "green");
  EXPECT_EQ(word_of(kColorWords, Color::blue), "");
}

TEST(EnumWords, FindsTheEnumeratorOfAWord) {
  EXPECT_EQ(value_of(kColorWords, "red"), Color::red);
  EXPECT_EQ(value_of(kColorWords, "Red"), std::nullopt);
  EXPECT_EQ(value_of(kColorWords, ""), std::nullopt);
}

}  // namespace
}  // namespace manactl::enum_words_test
