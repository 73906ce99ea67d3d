// SPDX-License-Identifier: MIT

#include "host/scrub_text.h"

#include <gtest/gtest.h>

#include <vector>

#include "host/scrub_json.h"
#include "host/scrubbing.h"

namespace manactl::host::scrub_text_test {
namespace {

bool ends_with_escape(std::string_view text) {
  return follows_escape(text, text.size());
}

TEST(FollowsEscape, IsTrueAfterSequencesInLetters) {
  for (const char* text : {"\\a",
                           "\\b",
                           "\\e",
                           "\\f",
                           "\\n",
                           "\\r",
                           "\\t",
                           "\\v",
                           "\\0",
                           "x\\n",
                           "\\x1b",
                           "\\u001b",
                           "#033",
                           "x#033",
                           "[m",
                           "[0m",
                           "[1;31m",
                           "x[2K"}) {
    EXPECT_TRUE(ends_with_escape(text)) << text;
  }
  for (const char* text : {"",
                           "n",
                           "/n",
                           "\\q",
                           "\\x1",
                           "\\x1g",
                           "/x1b",
                           "\\u001",
                           "\\u00g1",
                           "#03",
                           "#0g3",
                           "0x1b",
                           "m",
                           "0m",
                           "[0",
                           "[0;x1m",
                           "(0m",
                           "[31J",
                           "K"}) {
    EXPECT_FALSE(ends_with_escape(text)) << text;
  }
}

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  visit_parts(text, [&](std::string_view part) { parts.emplace_back(part); });
  return parts;
}

using Parts = std::vector<std::string>;

TEST(VisitParts, SplitsAtNulBytesAndEscapeSequences) {
  EXPECT_EQ(parts_of("a"), (Parts{"a"}));
  EXPECT_EQ(parts_of(""), (Parts{""}));
  EXPECT_EQ(parts_of(std::string_view("a\0b\0", 4)), (Parts{"a", "b", ""}));
  EXPECT_EQ(parts_of(std::string_view("a\0[31mb", 7)), (Parts{"a", "[31mb"}));
  EXPECT_EQ(parts_of("a\x1b[31mb\x1b[Kc"), (Parts{"a", "b", "c"}));
  EXPECT_EQ(parts_of("a\x1b[3@b\x1b[3~c"), (Parts{"a", "b", "c"}));
  EXPECT_EQ(parts_of("a\x1b[3\nb"), (Parts{"a", "\nb"}));
  EXPECT_EQ(parts_of("a\x1b[3;?b"), (Parts{"a", ""}));
  EXPECT_EQ(parts_of("a\x1b[[x"), (Parts{"a", "x"}));
  EXPECT_EQ(parts_of("a\x1b"
                     "cb"),
            (Parts{"a", "b"}));
  EXPECT_EQ(parts_of("a\x1b\nb"), (Parts{"a", "\nb"}));
  EXPECT_EQ(parts_of("a\x1b"), (Parts{"a", ""}));
  EXPECT_EQ(parts_of("a\x1b"
                     "c"),
            (Parts{"a", ""}));
}

TEST(VisitParts, EndsAColorAfter32Characters) {
  EXPECT_EQ(parts_of("\x1b[" + std::string(29, '1') + "mx"), (Parts{"", "x"}));
  EXPECT_EQ(parts_of("\x1b[" + std::string(30, '1') + "mx"),
            (Parts{"", "[" + std::string(30, '1') + "mx"}));
}

// Whether a log keeps the line.
bool is_text(const std::string& line) {
  return scrub(line + "\n") == line + "\n";
}

std::string times(int count, const std::string& text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(BinaryLines, AreNotUtf8) {
  for (const char* sequence : {"\xc2\xa1",
                               "\xdf\xbf",
                               "\xe0\xa0\x80",
                               "\xef\xbf\xbf",
                               "\xf0\x9f\x98\x80",
                               " ",
                               "~",
                               "\t",
                               "\r",
                               "\b",
                               "\a",
                               "\f",
                               "\v"}) {
    EXPECT_TRUE(is_text(times(5, sequence))) << sequence;
  }
  for (const char* sequence :
       {"\x80", "\xc1\x80", "\xc3(", "\xc3", "\xe0\xa0", "\xf0\x9f\x98", "\x7f", "\x1f", "\x01"}) {
    EXPECT_FALSE(is_text(times(5, sequence))) << sequence;
  }
}

TEST(BinaryLines, HaveMoreThanFourOtherBytesAndATenth) {
  EXPECT_TRUE(is_text(times(4, "\x01")));
  EXPECT_FALSE(is_text(times(5, "\x01")));
  EXPECT_TRUE(is_text(times(5, "\x01") + times(45, "x")));
  EXPECT_FALSE(is_text(times(5, "\x01") + times(44, "x")));
  EXPECT_TRUE(is_text(times(4, "\x01") + "\xc2\xa1"));
}

std::string report(const std::string& text) {
  Scrubber scrubber;
  return scrubbed_report(text, scrubber);
}

TEST(Report, LosesCutWordsThatMayBePartsOfAddresses) {
  EXPECT_EQ(report("at 00:0d:3a... and 10.0..."), "at ... and ...");
  EXPECT_EQ(report("7-x... 7.x... 7_x... a:b... 1..."), "... ... ... ... ...");
  EXPECT_EQ(report("7+x... abc... a-b..."), "7+x... abc... a-b...");
  EXPECT_EQ(report("10...20..."), "......");
  EXPECT_EQ(report("...x"), "...x");
}

}  // namespace
}  // namespace manactl::host::scrub_text_test
