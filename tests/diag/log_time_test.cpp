// SPDX-License-Identifier: MIT

#include "diag/log_time.h"

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::log_time_test {
namespace {

TEST(SecondsBetween, ComparesTimesOfEachFormat) {
  EXPECT_EQ(seconds_between("2026-01-08T01:02:18", "2026-01-08T09:31:10"), 30532);
  EXPECT_EQ(seconds_between("2026-02-28 23:59:59", "2026-03-01 00:00:01"), 2);
  EXPECT_EQ(seconds_between("2028-02-28 23:59:59", "2028-03-01 00:00:01"), 86402);
  EXPECT_EQ(seconds_between("Nov  1 03:00:00", "Nov 21 03:00:00"), 20 * 86400);
  EXPECT_EQ(seconds_between("Feb 28 00:00:00", "Mar  1 00:00:00"), 86400);
  EXPECT_EQ(seconds_between("12.250000", "4212.500000"), 4200.25);
  EXPECT_EQ(seconds_between("1732158000.123456", "1732158001.123456"), 1);
  EXPECT_EQ(seconds_between("12.5", "12.5"), 0);
}

TEST(SecondsBetween, CountsANewYearInATimeWithoutOne) {
  EXPECT_EQ(seconds_between("Dec 31 23:59:50", "Jan  1 00:00:05"), 15);
  EXPECT_EQ(seconds_between("2026-12-31T23:59:50", "2027-01-01T00:00:05"), 15);
}

TEST(SecondsBetween, CountsALeapDayInATimeWithoutAYear) {
  EXPECT_EQ(seconds_between("Feb 29 11:00:00", "Mar  1 09:00:00"), 22 * 3600);
  EXPECT_EQ(seconds_between("Feb 29 11:00:00", "Mar  1 12:00:00"), 25 * 3600);
  EXPECT_EQ(seconds_between("Feb 28 11:00:00", "Feb 29 09:00:00"), 22 * 3600);
  EXPECT_EQ(seconds_between("Feb 29 11:00:00", "Feb 29 10:00:00"), std::nullopt);
}

TEST(SecondsBetween, IsUnknownIfTheTimesCannotBeCompared) {
  EXPECT_EQ(seconds_between("", "12.5"), std::nullopt);
  EXPECT_EQ(seconds_between("12.5", ""), std::nullopt);
  EXPECT_EQ(seconds_between("12.5", "Nov 21 03:00:00"), std::nullopt);
  EXPECT_EQ(seconds_between("2026-11-21T03:00:00", "Nov 21 03:00:01"), std::nullopt);
  EXPECT_EQ(seconds_between("12.5", "1732158000.123456"), std::nullopt);
  EXPECT_EQ(seconds_between("Nov 21 03:00:01", "Nov 21 03:00:00"), std::nullopt);
  EXPECT_EQ(seconds_between("2026-13-21T03:00:00", "2026-13-21T03:00:01"), std::nullopt);
  EXPECT_EQ(seconds_between("Foo 21 03:00:00", "Foo 21 03:00:01"), std::nullopt);
  EXPECT_EQ(seconds_between("1234567890123456.5", "1234567890123457.5"), std::nullopt);
}

TEST(DurationText, HasAtMostTwoUnits) {
  EXPECT_EQ(duration_text(0.2), "less than 1 s");
  EXPECT_EQ(duration_text(5.4), "5 s");
  EXPECT_EQ(duration_text(59.7), "1 min");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(2460), "41 min");
  EXPECT_EQ(duration_text(3599), "1 h");
  EXPECT_EQ(duration_text(30532), "8 h 29 min");
  EXPECT_EQ(duration_text(86399), "1 day");
  EXPECT_EQ(duration_text(3 * 86400 + 4 * 3600), "3 days 4 h");
}

TEST(MomentText, OmitsTheDateOfTheReference) {
  EXPECT_EQ(moment_text("2026-01-08T01:02:18"), "2026-01-08T01:02:18");
  EXPECT_EQ(moment_text("2026-01-08T01:02:18", "2026-01-08T09:31:10"), "01:02:18");
  EXPECT_EQ(moment_text("Jan  8 01:02:18", "Jan  8 09:31:10"), "01:02:18");
  EXPECT_EQ(moment_text("Jan  8 01:02:18", "Jan  9 09:31:10"), "Jan  8 01:02:18");
  EXPECT_EQ(moment_text("12.345678", "99.000000"), "12.345678 s after boot");
  EXPECT_EQ(moment_text("1732158000.123456"), "1732158000.123456");
}

TEST(LogReport, HasTheTimesOfItsFirstAndLastLines) {
  const std::string unrelated = "vm sshd[7]: session opened\n";
  const auto log = test::read_text("-- boot --\nNov 21 03:00:00 " + unrelated + "Nov 21 04:00:00 " +
                                   unrelated + "Nov 21 11:30:00 " + unrelated + "continued\n");
  EXPECT_EQ(log.first_time, "Nov 21 03:00:00");
  EXPECT_EQ(log.last_time, "Nov 21 11:30:00");
  EXPECT_EQ(test::read_text("no time\n").last_time, "");
}

// Only the last lines of a log are searched for a time.
TEST(LogReport, HasTheTimeOfTheLastStateIfTheLogEndsWithoutTimes) {
  const std::string state = "[   12.500000] mana 7870:00:00.0 eth2: Configured vPort 1 PD 5 DB 1\n";
  std::string lines;
  for (int i = 0; i < 100; ++i) lines += "pasted output\n";
  EXPECT_EQ(test::read_text("2026-01-08T01:02:18Z vm x: y\n" + state + lines).last_time,
            "12.500000");
}

}  // namespace
}  // namespace manactl::diag::log_time_test
