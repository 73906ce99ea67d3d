// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>

#include <random>

#include "diag/log_scan.h"
#include "diag/logs.h"
#include "diag/release_table.h"

namespace manactl::diag::read_log_test {
namespace {

using test::diagnose_text;
using test::read_text;

constexpr std::string_view kLine = "mana_dev_start(): failed to start tx queues -19";

TEST(ReadLog, CountsRepeatedLinesOnce) {
  const auto report = read_text(std::string(kLine) + "\nx\n" + std::string(kLine) + "\n");
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0].count, 2U);
  EXPECT_EQ(report.entries[0].first.line, 1U);
  EXPECT_EQ(report.entries[0].last_line, 3U);
  EXPECT_EQ(report.matched_lines, 2U);
}

TEST(ReadLog, NumbersLinesOverManyBlocks) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "Tx-pps: 10421337\n";
  const auto report = read_text(text + std::string(kLine) + "\n", 1000);
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0].first.line, 100001U);
}

TEST(ReadLog, FindsALineAfterOneOfTenMegabytes) {
  const auto report = read_text(std::string(10U << 20, 'x') + "\n" + std::string(kLine));
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0].first.line, 2U);
  EXPECT_EQ(report.lines, 2U);
}

TEST(ReadLog, AcceptsEmptyAndNearlyEmptyLogs) {
  EXPECT_TRUE(read_text("").entries.empty());
  EXPECT_EQ(read_text("").matched_lines + read_text("").more_unknown, 0U);
  EXPECT_TRUE(read_text("\n\n\n").entries.empty());
  EXPECT_EQ(read_text("\n\n\n").lines, 3U);
  EXPECT_TRUE(read_text(std::string(3, '\0')).entries.empty());
}

TEST(ReadLog, FindsALineAmongRandomBytes) {
  std::mt19937 random(20261121);
  std::string junk(1U << 20, ' ');
  for (char& c : junk) c = static_cast<char>(random() & 0xFFU);
  const auto report = read_text(junk + "\n" + std::string(kLine) + "\n" + junk);
  const auto found =
      std::ranges::find_if(report.entries, [](const auto& e) { return e.signature != nullptr; });
  ASSERT_NE(found, report.entries.end());
  EXPECT_EQ(found->signature->id, "mana-start-tx-enodev");
  EXPECT_EQ(found->first.line, 2U + static_cast<std::uint64_t>(std::ranges::count(junk, '\n')));
}

TEST(ReadLog, QuotesOnlyPrintableText) {
  const auto report = read_text("foo: error \xff\x01 in \xe2\x82\n");
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_THAT(report.entries[0].first.text, testing::Not(testing::HasSubstr("\xff")));
  EXPECT_THAT(report.entries[0].first.text, testing::HasSubstr("\\xff"));
}

TEST(ReadLog, ReportsTheReleaseThatTheLogContains) {
  EXPECT_EQ(read_text("EAL: RTE Version: 'DPDK 22.11.11'\n").dpdk_release, "22.11.11");
  EXPECT_EQ(read_text("mana_init_once(): MP INIT PRIMARY\n").dpdk_range, "22.11 to 24.07");
  EXPECT_EQ(read_text("MANA_DRIVER: mana_init_once(): MP INIT PRIMARY\n").dpdk_range,
            "24.11 or newer");
  // Only lines of net_mana, net_netvsc and VMBus determine the range, so the EAL line is ignored.
  EXPECT_EQ(read_text("mana_init_once(): MP INIT PRIMARY\nEAL: Cannot init memory\n").dpdk_range,
            "22.11 to 24.07");
}

TEST(ReadLog, QuotesUnrecognizedErrors) {
  for (const std::string line : {"EAL: frobnicator failed to spin up",
                                 "foo[12]: ERROR: no such widget",
                                 "error at the beginning of the log",
                                 "Cannot frobnicate",
                                 "BUG: scheduling while atomic",
                                 "mana 7870:00:00.0: frobbed, err = -71",
                                 "E licensing: token expired, refusing to start",
                                 "MANA_DRIVER: mana_x(): hw rejected context 0x77",
                                 "mana 7870:00:00.0: queue manager refused update: -5",
                                 "panic: oh no"}) {
    for (const std::string before : {"", "harmless\n"}) {
      const auto diagnosis = diagnose_text(before + line + "\n");
      EXPECT_FALSE(diagnosis.root) << line;
      ASSERT_EQ(diagnosis.unknown.size(), 1U) << before << line;
      EXPECT_EQ(diagnosis.unknown[0].quote->line, before.empty() ? 1U : 2U);
      EXPECT_EQ(diagnosis.unknown[0].cause, "");
      EXPECT_EQ(diagnosis.unknown[0].fix, "");
    }
  }
}

TEST(ReadLog, IgnoresCountersAndNamesThatResembleErrors) {
  for (const std::string line : {"  RX-errors: 0",
                                 "TX-errors: 12 ",
                                 "errors: 0",
                                 "    RX:  bytes packets errors dropped  missed   mcast",
                                 "finished without error",
                                 "terror in the interrupt handler",
                                 "ferrari failover-mode"}) {
    EXPECT_TRUE(read_text("first\n" + line + "\n").entries.empty()) << line;
  }
}

TEST(ReadLog, LimitsTheNumberOfUnknownLines) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += "error " + std::string(static_cast<std::size_t>(i), 'x') + "\n";
  }
  const auto report = read_text(text);
  EXPECT_EQ(report.entries.size(), 50U);
  EXPECT_EQ(report.more_unknown, 150U);
}

TEST(ReadLog, CountsUnknownLinesThatDifferOnlyInNumbersAsOne) {
  const auto report = read_text("error 17 at 0x12\nerror 18 at 0x99\n");
  ASSERT_EQ(report.entries.size(), 1U);
  EXPECT_EQ(report.entries[0].count, 2U);
}

// The kinds of lines are compared by their first 200 bytes.
TEST(ReadLog, ComparesTheBeginningsOfUnknownLines) {
  const std::string begin = "error " + std::string(193, 'x');
  EXPECT_EQ(read_text(begin + "ab\n" + begin + "ac\n").entries.size(), 1U);
  EXPECT_EQ(read_text(begin + "ba\n" + begin + "ca\n").entries.size(), 2U);
}

TEST(ReadLog, ReturnsTheErrorOfTheSourceWithTheNameOfTheLog) {
  class Broken : public ByteSource {
    Result<std::size_t> read(std::span<char>) override { return fail(Errc::io, "read error"); }
  } source;

  const auto report = read_log(source, "x.log", test::signatures());
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().message, "x.log: read error");
}

SignatureSet signatures_with(const std::string& match, const std::string& more = "") {
  return SignatureSet::parse(
             R"({"signatures":[{"id":"a","title":"t","source":"s","role":"cause","rank":1,)"
             R"("examples":[],"meaning":"m","cause":"c","fix":"f","match":")" +
             match + "\"" + more + "}]}")
      .value();
}

LogReport read_with(const SignatureSet& known, const std::string& text) {
  test::TextSource source(text);
  return read_log(source, "x.log", known).value();
}

TEST(ReadLog, MatchesTheMessageOrElseTheWholeLine) {
  const std::string prefix = "[   12.345678] ";
  const auto at_begin = signatures_with("^anchored text");
  EXPECT_EQ(read_with(at_begin, prefix + "anchored text\n").matched_lines, 1U);
  EXPECT_EQ(read_with(at_begin, "not anchored text\n").matched_lines, 0U);
  const auto with_prefix = signatures_with(R"(345678\\] text)");
  EXPECT_EQ(read_with(with_prefix, prefix + "text\n").matched_lines, 1U);
}

TEST(ReadLog, SeparatesLinesWithABenignValue) {
  const auto known = signatures_with("port was lost: (?P<errno>\\\\d+)",
                                     R"(,"benign_when":[{"capture":"errno","values":["16","5"]}])");
  const auto report = read_with(known,
                                "port was lost: 16\nport was lost: 71\nport was lost: 5\n"
                                "port was lost: 1\nport was lost: 1\n");
  ASSERT_EQ(report.entries.size(), 2U);
  EXPECT_TRUE(report.entries[0].benign);
  EXPECT_EQ(report.entries[0].count, 2U);
  EXPECT_EQ(report.entries[0].last_line, 3U);
  EXPECT_FALSE(report.entries[1].benign);
  EXPECT_EQ(report.entries[1].count, 3U);
  EXPECT_EQ(report.entries[1].captures, (Captures{{"errno", "71"}}));
  EXPECT_EQ(report.entries[1].first.log, "x.log");
  EXPECT_EQ(report.matched_lines, 5U);
}

TEST(ReadLog, FindsErrorsNextToBytesThatAreNotUtf8) {
  EXPECT_EQ(read_text("caf\xe9: error\xff\n").entries.size(), 1U);
  EXPECT_EQ(read_text("\xff: errors: 0\xff\n").entries.size(), 0U);
}

TEST(Prefixes, TellTheReleasesOfDpdk) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {"MANA_DRIVER: text", "24.11 or newer"},
      {"HN_DRIVER: text", "24.11 or newer"},
      {"VMBUS_BUS: text", "24.11 or newer"},
      {"mana_open(): text", "22.11 to 24.07"},
      {"hn_open(): text", "22.11 to 24.07"},
      {"vmbus_open(): text", "22.11 to 24.07"},
      {"EAL: text", ""},
      {"other(): text", ""},
      {"mana_open: text", ""},
      {"mana_0 reports open(): text", ""},
  };
  for (const auto& [message, releases] : table) EXPECT_EQ(releases_of_prefix(message), releases);
}

TEST(HasReached, IgnoresReleasesThatCannotBeRead) {
  EXPECT_TRUE(has_reached("24.11.3", {"what", "24.11.3"}));
  EXPECT_FALSE(has_reached("24.11.3", {"what"}));
  EXPECT_FALSE(has_reached("23.11.4", {"22.11.9", "23.11.5", "25.07"}));
}

TEST(HasReached, ComparesWithinTheReleaseLine) {
  const std::vector<std::string> firsts = {"22.11.9", "23.11.5", "24.11.3", "25.07"};
  EXPECT_TRUE(has_reached("24.11.3", firsts));
  EXPECT_FALSE(has_reached("24.11.2", firsts));
  EXPECT_FALSE(has_reached("25.03", firsts));
  EXPECT_TRUE(has_reached("25.07", firsts));
  EXPECT_TRUE(has_reached("26.03.1", firsts));
  EXPECT_FALSE(has_reached("what", firsts));
  EXPECT_FALSE(has_reached("25.07", {}));
}

}  // namespace
}  // namespace manactl::diag::read_log_test
