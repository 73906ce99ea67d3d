// SPDX-License-Identifier: MIT

#include "cli/options.h"

#include <gtest/gtest.h>

namespace manactl::cli::options_test {
namespace {

TEST(Duration, IsSecondsWithAnOptionalUnit) {
  EXPECT_DOUBLE_EQ(parse_duration("10").value(), 10);
  EXPECT_DOUBLE_EQ(parse_duration("1.5").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration("500ms").value(), 0.5);
  EXPECT_DOUBLE_EQ(parse_duration("2m").value(), 120);
  EXPECT_DOUBLE_EQ(parse_duration("1h").value(), 3600);
  EXPECT_DOUBLE_EQ(parse_duration("3s").value(), 3);
}

TEST(Duration, RejectsOtherText) {
  for (const auto* text :
       {"",      "0",   "0.0", "-1", "+1", "1h1h", "1e3", "inf", "nan",   ".5",     "5.",
        "1.2.3", "1,5", " 1",  "1 ", "ms", "s",    "0x1", "1ss", "86401", "0.0001", "25h"}) {
    EXPECT_FALSE(parse_duration(text)) << "'" << text << "'";
  }
}

TEST(Count, RejectsNumbersOutsideTheLimits) {
  EXPECT_EQ(parse_count("64", 1, 64).value(), 64);
  EXPECT_FALSE(parse_count("65", 1, 64));
  EXPECT_FALSE(parse_count("0", 1, 64));
  EXPECT_FALSE(parse_count("65537", 1, 64));
}

TEST(Text, RejectsControlCharacters) {
  EXPECT_EQ(parse_text("/a b", "a path").value(), "/a b");
  EXPECT_FALSE(parse_text("", "a path"));
  EXPECT_FALSE(parse_text("a\nb", "a path"));
}

}  // namespace
}  // namespace manactl::cli::options_test
