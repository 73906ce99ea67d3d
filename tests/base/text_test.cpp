// SPDX-License-Identifier: MIT

#include "base/text.h"

#include <gmock/gmock.h>

namespace manactl::text_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Lower, ChangesAsciiLettersOnly) {
  EXPECT_EQ(lower("AZ_mana [@`{] \xc3\x84"), "az_mana [@`{] \xc3\x84");
  EXPECT_EQ(lower(""), "");
}

TEST(Trim, RemovesWhiteSpaceAtBothEnds) {
  EXPECT_EQ(trim(" \ta b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
}

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
}

TEST(Words, SkipsEmptyWords) {
  EXPECT_THAT(words("  a\tb \n c "), ElementsAre("a", "b", "c"));
  EXPECT_THAT(words(" \n"), IsEmpty());
}

TEST(ParseUnsigned, AcceptsDecimalDigitsOnly) {
  EXPECT_EQ(parse_unsigned("0").value(), 0U);
  EXPECT_EQ(parse_unsigned("18446744073709551615").value(), UINT64_MAX);
  for (const char* bad : {"", "-1", "+1", "08", "0x8", " 8", "8 ", "1e9", "NaN", "1.0"}) {
    EXPECT_FALSE(parse_unsigned(bad)) << "'" << bad << "'";
  }
}

TEST(ParseUnsigned, RejectsNumbersAboveTheLimit) {
  EXPECT_EQ(parse_unsigned("100", 100).value(), 100U);
  EXPECT_FALSE(parse_unsigned("101", 100));
  const auto beyond = parse_unsigned("18446744073709551616");
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().code, Errc::invalid);
}

TEST(ParseHex, AcceptsAnOptionalPrefix) {
  EXPECT_EQ(parse_hex("0x1414").value(), 0x1414U);
  EXPECT_EQ(parse_hex("00BA").value(), 0xbaU);
  for (const char* bad : {"", "0x", "-1", "0x0x1", "g", " 1"}) {
    EXPECT_FALSE(parse_hex(bad)) << "'" << bad << "'";
  }
  EXPECT_FALSE(parse_hex("10000", 0xffff));
}

TEST(Printable, EscapesControlCharactersAndMalformedUtf8) {
  EXPECT_EQ(printable("a\x1b[31m\nb"), "a\\x1b[31m\\x0ab");
  EXPECT_EQ(printable(std::string_view("\0", 1)), "\\x00");
  EXPECT_EQ(printable("gr\xc3\xbc\xc3\x9f"), "gr\xc3\xbc\xc3\x9f");
  EXPECT_EQ(printable("\xc3"), "\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong '/'
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b");           // C1: terminals read it as ESC [
}

TEST(Printable, EscapesCharactersThatAreInvisibleOrChangeTheDirection) {
  for (const std::string_view text :
       {"\u00ad", "\u034f",     "\u061c",     "\u1160",    "\u17b4", "\u180e", "\u200b",
        "\u200e", "\u200f",     "\u2028",     "\u2029",    "\u202a", "\u202e", "\u2060",
        "\u2066", "\u2069",     "\u206f",     "\u3164",    "\ufe0f", "\ufeff", "\uffa0",
        "\ufff9", "\U000e0001", "\U000e007f", "\U000e01ef"}) {
    std::string expected;
    for (const char c : text) {
      expected += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    }
    EXPECT_EQ(printable(text), expected);
  }
}

TEST(Printable, KeepsTheirNeighbors) {
  for (const std::string_view text : {"\u061b",
                                      "\u061d",
                                      "\u200a",
                                      "\u2010",
                                      "\u2027",
                                      "\u202f",
                                      "\u205f",
                                      "\u2070",
                                      "\u00a0",
                                      "\u00ae",
                                      "\u034e",
                                      "\u1161",
                                      "\u3165",
                                      "\ufffc"}) {
    EXPECT_EQ(printable(text), text);
  }
}

TEST(Printable, CutsLongText) {
  EXPECT_EQ(printable("abcdef", 3), "abc...");
  EXPECT_EQ(printable("abc", 3), "abc");
  EXPECT_EQ(printable(std::string(400, 'x')), std::string(400, 'x'));
  EXPECT_EQ(printable(std::string(401, 'x')), std::string(400, 'x') + "...");
}

TEST(Nearest, FindsTheIntendedWord) {
  const std::vector<std::string> commands = {"check", "doctor", "bench"};
  EXPECT_EQ(nearest("chek", commands), "check");
  EXPECT_EQ(nearest("hceck", commands), "check");
  EXPECT_EQ(nearest("bennch", commands), "bench");
  EXPECT_EQ(nearest("rxtx", {"rx", "txrx"}), "txrx") << "letters in another order";
}

TEST(Nearest, IsEmptyWhenNothingIsSimilar) {
  EXPECT_EQ(nearest("x", {"up", "check"}), "");
  EXPECT_EQ(nearest("", {"a"}), "");
  EXPECT_EQ(nearest(std::string(100000, 'a'), {"check"}), "");
}

TEST(Grouped, SeparatesThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1'000), "1,000");
  EXPECT_EQ(grouped(2'125'888), "2,125,888");
}

TEST(HumanBytes, UsesTheLargestFittingUnit) {
  EXPECT_EQ(human_bytes(12), "12 B");
  EXPECT_EQ(human_bytes(640 * 1024), "640 KiB");
  EXPECT_EQ(human_bytes(3U << 19), "1.5 MiB");
}

TEST(Join, PutsSeparatorsBetweenPieces) {
  EXPECT_EQ(join({"a", "b"}, ", "), "a, b");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(ShellWord, QuotesOnlyIfNecessary) {
  EXPECT_EQ(shell_word("eth1"), "eth1");
  EXPECT_EQ(shell_word("/a-b.c:d@e%f+g=h,i_j"), "/a-b.c:d@e%f+g=h,i_j");
  EXPECT_EQ(shell_word(""), "''");
  EXPECT_EQ(shell_word("-f"), "'-f'");
  EXPECT_EQ(shell_word("a b"), "'a b'");
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
}

}  // namespace
}  // namespace manactl::text_test
