// SPDX-License-Identifier: MIT

#include "cli/screen.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

namespace manactl::cli::screen_test {
namespace {

TEST(Wrap, BreaksAtSpacesAndKeepsLongWords) {
  EXPECT_EQ(wrap("one two three", 9, 2), "  one two\n  three");
  EXPECT_EQ(wrap("averyveryverylongword x", 8, 0), "averyveryverylongword\nx");
  EXPECT_EQ(wrap("", 8, 2), "");
}

TEST(Wrap, CountsCharactersInsteadOfBytes) {
  EXPECT_EQ(wrap_lines("äöü äöü", 7).size(), 1U);
}

TEST(Screen, PaintsOnlyWithColors) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  EXPECT_EQ(screen.paint(Color::red, "x"), "x");
  screen.set_color(true);
  EXPECT_EQ(screen.paint(Color::red, "x"), "\x1b[31mx\x1b[0m");
  EXPECT_EQ(screen.paint(Color::none, "x"), "x");
}

TEST(Screen, OfAFileIsNotLimitedInWidth) {
  std::ostringstream out;
  FILE* const file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(make_screen(out, fileno(file), Environment()).width(), kUnlimitedWidth);
  std::fclose(file);
}

TEST(Screen, PrintsNothingWhenMuted) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  screen.stream() << "a";
  screen.mute();
  screen.stream() << "b";
  EXPECT_EQ(out.str(), "a");
}

TEST(Environment, FindsUtf8InTheFirstVariableThatIsSet) {
  Environment environment;
  EXPECT_FALSE(environment.is_utf8());
  environment.set("LANG", "de_DE.utf8");
  EXPECT_TRUE(environment.is_utf8());
  environment.set("LC_ALL", "C");
  EXPECT_FALSE(environment.is_utf8());
  environment.set("LC_ALL", "");
  EXPECT_TRUE(environment.is_utf8());
}

TEST(Environment, CopiesOnlyTheVariablesOfManactl) {
  const char* const variables[] = {
      "PATH=/bin", "MANACTL_QUEUES=4", "NOVALUE", "TERM=dumb", nullptr};
  const Environment environment(variables);
  EXPECT_EQ(environment.find("PATH"), nullptr);
  ASSERT_NE(environment.find("MANACTL_QUEUES"), nullptr);
  EXPECT_EQ(*environment.find("MANACTL_QUEUES"), "4");
  EXPECT_NE(environment.find("TERM"), nullptr);
}

TEST(Screen, SpellsUnitsInAscii) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  screen.spell_units_in_ascii();
  screen.stream() << "12.3 \u00b5s, \u00e9, \u00a0, \xc2" << "\xb5" << 's';
  EXPECT_EQ(out.str(), "12.3 us, \u00e9, \u00a0, us");
}

}  // namespace
}  // namespace manactl::cli::screen_test
