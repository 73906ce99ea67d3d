// SPDX-License-Identifier: MIT

#include "cli/screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <sstream>

#include "base/text.h"
#include "cli/table.h"

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

// Expects that the narrowest lines consist of `units`, separated by blanks.
void expect_units(const std::vector<std::string>& units) {
  EXPECT_THAT(wrap_lines(manactl::join(units, " "), 1), testing::ElementsAreArray(units));
}

TEST(WrapLines, KeepsATextInQuotesWhole) {
  expect_units({"see", "'manactl help rdma.core';", "or", "'this text'", "('so too')."});
  expect_units({"run", "'echo 0 | tee /sys/nr_hugepages'"});
  expect_units({"see", "'manactl", "help"});
}

TEST(WrapLines, KeepsQuotesInATextInQuotes) {
  expect_units({"'manactl doctor './my log.txt'';", "no"});
  expect_units({"'manactl doctor --log='a b' --root 'c d' -v'", "'x y'"});
  expect_units({"''a b' is a word'", "x"});
  expect_units({"'manactl doctor 'it'\\''s a log'':", "no"});
  expect_units({"'it's an apostrophe'", "''", "x"});
}

std::string message_on(unsigned width) {
  std::ostringstream out;
  Screen screen(out, false, width, true);
  write_message(screen, Color::none, "manactl:", "a  short text");
  return out.str();
}

TEST(WriteMessage, WrapsOnlyIfTheTextIsTooLong) {
  EXPECT_EQ(message_on(kUnlimitedWidth), "manactl: a  short text\n");
  EXPECT_EQ(message_on(22), "manactl: a  short text\n");
  EXPECT_EQ(message_on(21), "manactl: a short text\n");
  EXPECT_EQ(message_on(16), "manactl: a short\n         text\n");
  EXPECT_EQ(message_on(4), "manactl: a\n         short\n         text\n");
}

std::string table_on(unsigned width) {
  std::ostringstream out;
  Screen screen(out, false, width, true);
  print_table(screen,
              {{"NIC", "path", "free for DPDK"},
               {"eth0", "VF", "no: SSH session, default route"},
               {"eth1", "synthetic", ""}});
  return out.str();
}

TEST(Table, PutsTheLastCellBelowTheRowIfTheScreenIsNarrow) {
  EXPECT_EQ(table_on(40),
            "NIC   path       free for DPDK\n"
            "eth0  VF         no: SSH session,\n"
            "                 default route\n"
            "eth1  synthetic  \n");
  EXPECT_EQ(table_on(36),
            "NIC   path\n"
            "eth0  VF\n"
            "  free for DPDK: no: SSH session,\n"
            "                 default route\n"
            "eth1  synthetic\n"
            "  free for DPDK: \n");
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
