// SPDX-License-Identifier: MIT

#include "cli/bench/one_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/bench/render_bench.h"
#include "report/sample_results.h"

namespace manactl::cli::one_screen_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const Body& body, int verbosity, unsigned width = 80) {
  std::ostringstream out;
  Screen screen(out, false, width, width == 80);
  print_body(screen, body, verbosity);
  return out.str();
}

// One title row, and as many rows and notes. Each note takes two rows of 80 columns.
Body body_of(std::size_t rows, std::size_t notes) {
  Body body;
  body.other_rows = 1;
  for (std::size_t i = 0; i < rows; ++i) body.rows.emplace_back(fmt::format("label {}", i), "1");
  for (std::size_t i = 0; i < notes; ++i) {
    body.notes.push_back(
        fmt::format("note {} {} {}", i, std::string(50, 'a'), std::string(50, 'b')));
  }
  return body;
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(OneScreen, ShowsEverythingThatFits) {
  const auto full = text_of(body_of(9, 3), 0);
  EXPECT_EQ(lines_of(full), 15);
  EXPECT_THAT(full, HasSubstr("note 2"));
  EXPECT_THAT(full, Not(HasSubstr("more")));
}

TEST(OneScreen, CountsTheNotesThatDoNotFit) {
  const auto text = text_of(body_of(9, 5), 0);
  EXPECT_EQ(lines_of(text), 14) << "a third note would leave no row for the last line";
  EXPECT_THAT(text, HasSubstr("note 1"));
  EXPECT_THAT(text, EndsWith("\n  3 more notes (-v)\n"));
  EXPECT_THAT(text_of(body_of(9, 4), 0), EndsWith("  2 more notes (-v)\n"));
  EXPECT_THAT(text_of(body_of(30, 1), 0),
              EndsWith("label 13            1\n  17 more lines (-v)\n"));
}

TEST(OneScreen, ShowsEverythingWithVerbose) {
  const auto text = text_of(body_of(30, 5), 1);
  EXPECT_EQ(lines_of(text), 40);
  EXPECT_THAT(text, Not(HasSubstr("more")));
}

// A script reads what a user sees.
TEST(OneScreen, LeavesOutTheSameNotesInAPipe) {
  const auto text = text_of(body_of(9, 5), 0, kUnlimitedWidth);
  EXPECT_EQ(lines_of(text), 12);
  EXPECT_THAT(text, EndsWith("\n  3 more notes (-v)\n"));
}

TEST(OneScreen, CountsTheRowsOfALongWord) {
  std::ostringstream out;
  const Screen screen(out, false, 80, true);
  EXPECT_EQ(rows_on_screen(screen, "title"), 1U);
  EXPECT_EQ(rows_on_screen(screen, std::string(161, 'x')), 3U);
}

TEST(OneScreen, ShortensLongValuesWithoutVerbose) {
  const std::string command(500, 'x');
  EXPECT_THAT(shortened(command, 0), EndsWith("..."));
  EXPECT_LE(shortened(command, 0).size(), 180U);
  EXPECT_EQ(shortened(command, 1), command);
}

// A search exits with 0 even if no packet moved, so no row is kept for an error message.
TEST(OneScreen, KeepsARowOnlyForAnErrorThatIsPrinted) {
  auto result = test::steady(datapath::Mode::txrx, 0);
  for (int i = 0; i < 30; ++i) result.report.notes.push_back(fmt::format("note {}", i));
  const auto lines = [&] {
    std::ostringstream out;
    Screen screen(out, false, 80, true);
    Context context{screen, screen, false, 0, {}, {}, {}};
    print(context, result, Output::text);
    return lines_of(out.str());
  };
  EXPECT_EQ(lines(), 14);
  result.search.emplace();
  EXPECT_EQ(lines(), 15);
}

}  // namespace
}  // namespace manactl::cli::one_screen_test
