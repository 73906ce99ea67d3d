// SPDX-License-Identifier: MIT

#include "diag/required_literals.h"

#include <gmock/gmock.h>

#include "diag/literal_scanner.h"

namespace manactl::diag {
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

TEST(RequiredLiterals, RefusesUnsupportedSyntax) {
  EXPECT_FALSE(required_literals("(?i)text"));
  EXPECT_FALSE(required_literals("(text"));
  EXPECT_FALSE(required_literals("text)"));
  EXPECT_FALSE(required_literals("[text"));
  EXPECT_FALSE(required_literals("text\\"));
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

TEST(LiteralScanner, FindsNothingInEmptyAndShortBlocks) {
  const LiteralScanner scanner({"a text"}, LiteralScanner::Case::exact);
  EXPECT_EQ(scanner.next("", 0).at, std::string_view::npos);
  EXPECT_EQ(scanner.next("a tex", 0).at, std::string_view::npos);
  EXPECT_EQ(scanner.next("a text", 0).at, 0U);
}

}  // namespace
}  // namespace manactl::diag
