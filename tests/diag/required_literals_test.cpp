// SPDX-License-Identifier: MIT

#include "diag/required_literals.h"

#include <gmock/gmock.h>

#include <set>

#include "diag/literal_scanner.h"

namespace manactl::diag::required_literals_test {
namespace {

using testing::UnorderedElementsAre;

std::vector<std::string> literals(std::string_view pattern) {
  auto found = required_literals(pattern);
  EXPECT_TRUE(found) << pattern;
  return found ? *found : std::vector<std::string>{};
}

TEST(RequiredLiterals, UsesTheLongestPartOfASequence) {
  EXPECT_THAT(literals(R"(port \d+ request to primary process failed)"),
              UnorderedElementsAre(" request to primary process failed"));
}

TEST(RequiredLiterals, HasOneTextPerAlternative) {
  EXPECT_THAT(literals(R"((?:first thing \d|second \w+ thing))"),
              UnorderedElementsAre("first thing ", "second "));
}

TEST(RequiredLiterals, ExpandsShortClassesAndOptions) {
  EXPECT_THAT(literals("nb_[rt]x(?:_desc)? ="),
              UnorderedElementsAre("nb_rx =", "nb_rx_desc =", "nb_tx =", "nb_tx_desc ="));
}

TEST(RequiredLiterals, AreEmptyIfAnAlternativeHasNoText) {
  EXPECT_TRUE(literals(R"((?:text|\d+))").empty());
  EXPECT_TRUE(literals(R"((?:text)*)").empty());
  EXPECT_TRUE(literals(R"((?:text){0,3})").empty());
}

TEST(RequiredLiterals, ReadsNamedGroupsAndEscapes) {
  EXPECT_THAT(literals(R"(open \(-a\) (?P<dev>[^)]+)$)"), UnorderedElementsAre("open (-a) "));
}

struct Pattern {
  std::string pattern;
  std::vector<std::string> literals;
};

std::vector<std::string> letters(char first, char last, const std::string& after) {
  std::vector<std::string> texts;
  for (char c = first; c <= last; ++c) texts.push_back(c + after);
  return texts;
}

std::string any_of(char first, char last) {
  std::string group = "(?:";
  for (char c = first; c <= last; ++c) group.append(1, c).append(c == last ? ")" : "|");
  return group;
}

const std::vector<Pattern> kPatterns = {
    {"^a$b\\bc", {"abc"}},
    {"ab.cde", {"cde"}},
    {"ab+cd", {"cd"}},
    {"abc+d", {"ab"}},
    {"a*?bcd", {"bcd"}},
    {"a+?bcd", {"bcd"}},
    {"a??bcd", {"abcd", "bcd"}},
    {"(?:x\\d)?yyy", {"yyy"}},
    {"abcd(?:efghi)+", {"efghi"}},
    {"a{2}bcd", {"bcd"}},
    {"a{2}?bcd", {"bcd"}},
    {"ab(?:cdef){2,}", {"cdef"}},
    {"ab(?:cdef){0,2}", {"ab"}},
    {"ab(?:cdef){", {"cdef"}},
    {"(?P<name>ab)cd", {"abcd"}},
    {"(?:ab|ab)c", {"abc"}},
    {"(?:a\\d|b\\d)", {"a", "b"}},
    {"(?:\\d|b\\d)", {}},
    {"(?:b\\d|\\d)", {}},
    {"aaaaa\\d[bc]dddd", {"aaaaa"}},
    {"[bc]dddd\\daaaaa", {"aaaaa"}},
    {"aaaa\\dbbbbb\\dccccc", {"bbbbb"}},
    {"[abcd]x", {"ax", "bx", "cx", "dx"}},
    {"[abcde]x", {"x"}},
    {"[^ab]x", {"x"}},
    {"[a-c]x", {"x"}},
    {"[a-]x", {"-x", "ax"}},
    {"[a\\]]xy", {"xy"}},
    // 24 texts may be combined with what follows, but not 25. The first 16 bytes of a text count.
    {any_of('a', 'x') + "yz", letters('a', 'x', "yz")},
    {any_of('a', 'y') + "yz", {"yz"}},
    {any_of('a', 'x') + "[yz]abc", {"yabc", "zabc"}},
    {"aaaaaaaaaaaaaaaa\\dbbbbbbbbbbbbbbbbb", {"aaaaaaaaaaaaaaaa"}},
    {"aaaaaaaaaaaaaaa\\dbbbbbbbbbbbbbbbb", {"bbbbbbbbbbbbbbbb"}},
};

TEST(RequiredLiterals, AreTheMostSelectiveTexts) {
  for (const auto& [pattern, expected] : kPatterns)
    EXPECT_EQ(literals(pattern), expected) << pattern;
}

TEST(RequiredLiterals, TakeEscapedLettersAndDigitsForClasses) {
  for (const char c : std::string("acyzACYZ0189")) {
    EXPECT_EQ(literals(std::string("\\") + c + "xx"), std::vector<std::string>{"xx"}) << c;
  }
  for (const char c : std::string("`{@[/:")) {
    EXPECT_EQ(literals(std::string("\\") + c + "xx"),
              std::vector<std::string>{c + std::string("xx")});
  }
}

std::string nested(std::size_t depth) {
  std::string pattern;
  for (std::size_t i = 0; i < depth; ++i) pattern += "(?:";
  return pattern + "text" + std::string(depth, ')');
}

TEST(RequiredLiterals, RefuseUnsupportedSyntaxWithAReason) {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"(?i)text", "flags or lookaround"},
      {"(?=text)", "flags or lookaround"},
      {"a|(?i)text", "flags or lookaround"},
      {"(text", "an unclosed '('"},
      {"(?P<name", "an unclosed '('"},
      {"text)", "an unmatched ')'"},
      {"[text", "an unclosed '['"},
      {"[text\\", "an unclosed '['"},
      {"[[:alpha:]]", "a class inside a class"},
      {"[]a]text", "a class that begins with ']'"},
      {"[^]a]text", "a class that begins with ']'"},
      {"text\\", "a trailing backslash"},
      {nested(101), "too many nested groups"},
  };
  for (const auto& [pattern, reason] : bad) {
    const auto found = required_literals(pattern);
    ASSERT_FALSE(found) << pattern;
    EXPECT_EQ(found.error().message, "unsupported expression: " + reason) << pattern;
    EXPECT_EQ(found.error().code, Errc::invalid);
  }
  EXPECT_EQ(literals(nested(100)), std::vector<std::string>{"text"});
}

TEST(LiteralScanner, FindsATextAtEveryOffsetOfABlock) {
  const LiteralScanner scanner({"needle in hay", "haystack!"}, LiteralScanner::Case::exact);
  for (std::size_t before = 0; before < 100; ++before) {
    for (const std::size_t after : {0U, 1U, 3U, 200U}) {
      const std::string block =
          std::string(before, 'x') + "needle in hay" + std::string(after, 'y');
      EXPECT_EQ(scanner.next(block, 0).at, before) << before << " " << after;
      EXPECT_EQ(scanner.next(block, 0).text, 0U);
      EXPECT_EQ(scanner.all_in(block).size() >= 1, true);
    }
  }
}

TEST(LiteralScanner, FindsShortTextsInAnyCase) {
  const LiteralScanner scanner({" error", "cannot"}, LiteralScanner::Case::ignored);
  EXPECT_EQ(scanner.next("An ERROR", 0).at, 2U);
  EXPECT_EQ(scanner.next("I CanNot", 0).at, 2U);
  EXPECT_EQ(scanner.next("terror", 0).at, std::string_view::npos);
}

TEST(LiteralScanner, FoldsOnlyAsciiLetters) {
  const LiteralScanner scanner({"az@[`{"}, LiteralScanner::Case::ignored);
  EXPECT_EQ(scanner.next("AZ@[`{", 0).at, 0U);
  EXPECT_EQ(scanner.next("az`{@[", 0).at, std::string_view::npos);
}

TEST(LiteralScanner, FindsTextsOfThreeBytesInTheirOwnCase) {
  const LiteralScanner scanner({"abc"}, LiteralScanner::Case::exact);
  EXPECT_EQ(scanner.next("ab abC ABC abc", 0).at, 11U);
  EXPECT_EQ(scanner.all_in("ABC").size(), 0U);
}

TEST(LiteralScanner, FindsATextOnlyAfterTheAllowedCharacters) {
  const LiteralScanner scanner({"needle"}, LiteralScanner::Case::exact, " \xff");
  const std::string padding(50, '-');
  for (const std::string before : {"", "-", "- ", "-\xff"}) {
    const auto hit = scanner.next(padding + before + "needle" + padding, 0);
    EXPECT_EQ(hit.at == std::string_view::npos, before.size() < 2) << before;
  }
  EXPECT_EQ(scanner.next("needle", 0).at, 0U);
}

TEST(LiteralScanner, FindsEveryTextOfALine) {
  const LiteralScanner scanner({"first text", "second text", "third"}, LiteralScanner::Case::exact);
  const auto found = scanner.all_in("first text, second text and a third");
  EXPECT_EQ(std::set<std::uint32_t>(found.begin(), found.end()),
            (std::set<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(scanner.next("a third", 0).text, 2U);
  EXPECT_EQ(LiteralScanner({}, LiteralScanner::Case::exact).next("any text", 0).at,
            std::string_view::npos);
}

TEST(LiteralScanner, FindsNothingInEmptyAndShortBlocks) {
  const LiteralScanner scanner({"a text"}, LiteralScanner::Case::exact);
  EXPECT_EQ(scanner.next("", 0).at, std::string_view::npos);
  EXPECT_EQ(scanner.next("a tex", 0).at, std::string_view::npos);
  EXPECT_EQ(scanner.next("a text", 0).at, 0U);
}

}  // namespace
}  // namespace manactl::diag::required_literals_test
