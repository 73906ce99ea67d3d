// SPDX-License-Identifier: MIT

#include "diag/log_reader.h"

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::log_reader_test {
namespace {

using test::TextSource;

struct Read {
  std::string text;
  std::uint64_t lines = 0;
  std::size_t longest_block = 0;
  std::vector<std::uint64_t> first_lines;
};

Read read_all(std::string text, std::size_t piece = 65536) {
  TextSource source(std::move(text), piece);
  LogReader reader(source);
  Read read;
  for (;;) {
    const auto block = reader.next();
    if (!block || block->text.empty()) break;
    read.text += block->text;
    read.longest_block = std::max(read.longest_block, block->text.size());
    read.first_lines.push_back(block->first_line);
  }
  read.lines = reader.lines();
  return read;
}

TEST(LineEnds, AreCountedInTextsOfAnyLength) {
  std::string text;
  std::uint64_t ends = 0;
  for (int i = 0; i < 5000; ++i) {
    EXPECT_EQ(count_line_ends(text), ends) << i;
    const char next = i % 3 == 0 || i > 3000 ? '\n' : static_cast<char>(i & 0xFF);
    text += next;
    ends += next == '\n' ? 1U : 0U;
  }
}

TEST(LogReader, ReturnsNothingForAnEmptyLog) {
  EXPECT_EQ(read_all("").text, "");
  EXPECT_EQ(read_all("").lines, 0U);
}

TEST(LogReader, CountsALastLineWithoutLineEnd) {
  EXPECT_EQ(read_all("one\ntwo").lines, 2U);
  EXPECT_EQ(read_all("one\ntwo\n").lines, 2U);
  EXPECT_EQ(read_all("one\ntwo").text, "one\ntwo");
}

TEST(LogReader, CountsEmptyLines) {
  EXPECT_EQ(read_all("\n\n\n").lines, 3U);
}

TEST(LogReader, ReturnsTheSameForReadsOfAnySize) {
  const std::string text = "one\r\ntwo\n\nfour";
  for (const std::size_t piece : {1U, 2U, 3U, 100U}) {
    EXPECT_EQ(read_all(text, piece).text, text) << piece;
    EXPECT_EQ(read_all(text, piece).lines, 4U) << piece;
  }
}

TEST(LogReader, ShortensALineThatFillsABlockAndContinuesAfterIt) {
  const auto read = read_all("first\n" + std::string(10U << 20, 'x') + "\nlast\n");
  EXPECT_EQ(read.lines, 3U);
  EXPECT_LE(read.longest_block, LogReader::kBlock);
  EXPECT_TRUE(read.text.starts_with("first\nxxx"));
  EXPECT_TRUE(read.text.ends_with("last\n"));
  EXPECT_EQ(read.first_lines.back(), 3U);
}

TEST(LogReader, CountsALongLineAtTheEndOnce) {
  EXPECT_EQ(read_all(std::string(1U << 20, 'x')).lines, 1U);
}

TEST(LogReader, RemovesColorsAndNulBytes) {
  const std::string nul(1, '\0');
  EXPECT_EQ(read_all("\x1b[1;31mEAL\x1b[0m: te" + nul + "xt\x1b[K\n").text, "EAL: text\n");
}

TEST(LogReader, KeepsTheLineEndAfterABrokenEscape) {
  EXPECT_EQ(read_all("one\x1b[31\ntwo\x1b\nthree\x1b").text, "one\ntwo\nthree");
}

TEST(LogReader, RemovesEscapeSequencesOfEveryForm) {
  const std::string text = "3456789012345678901234567890";
  const std::vector<std::pair<std::string, std::string>> table = {
      {"\x1b[@a", "a"},
      {"\x1b[~a", "a"},
      {"\x1b[1?a", ""},
      {"\x1b[mtext", "text"},
      {"\x1b(text", "text"},
      // A sequence of 32 bytes is removed. Of a longer one, only ESC is.
      {"\x1b[" + text + "1mx", "x"},
      {"\x1b[" + text + "12mx", "[" + text + "12mx"},
  };
  for (const auto& [raw, clean] : table)
    EXPECT_EQ(read_all(raw + "\n").text, clean + "\n") << clean;
}

TEST(LogReader, RemovesNulBytesAndEscapesFromTheSameBlock) {
  const std::string nul(1, '\0');
  EXPECT_EQ(read_all("a" + nul + "b\n").text, "ab\n");
  EXPECT_EQ(read_all("a\x1b[mb\n").text, "ab\n");
  EXPECT_EQ(read_all("a\x01"
                     "b\n")
                .text,
            "a\x01"
            "b\n");
}

TEST(LogReader, KeepsALineThatJustFitsIntoABlock) {
  const std::string fits = std::string(LogReader::kBlock - 1, 'x') + "\n";
  EXPECT_EQ(read_all(fits + "y").text, fits + "y");
  const auto read = read_all("x" + fits + "y");
  EXPECT_EQ(read.text, std::string(LogReader::kMaxLine, 'x') + "y");
  EXPECT_EQ(read.lines, 2U);
}

TEST(LogReader, ReturnsALastByte) {
  EXPECT_EQ(read_all("x").text, "x");
  EXPECT_EQ(read_all("\nx").lines, 2U);
}

TEST(LogReader, ContinuesAfterABlockOfNulBytes) {
  EXPECT_EQ(read_all(std::string(1U << 20, '\0') + "\nlast\n").lines, 2U);
}

TEST(LogReader, ReturnsTheErrorOfTheSource) {
  class Broken : public ByteSource {
    Result<std::size_t> read(std::span<char>) override { return fail(Errc::io, "read error"); }
  } source;

  EXPECT_EQ(LogReader(source).next().error().message, "read error");
}

struct Prefixed {
  const char* name;
  const char* line;
  const char* message;
};

TEST(WithoutPrefix, UnwrapsTheJsonOfDocker) {
  const std::vector<std::pair<std::string, std::string>> table = {
      {R"({"log":"a\tb\"c\\d\ne"})", "a\tb\"c\\d"},
      {R"({"log":"a\re"})", "a"},
      {R"({"log":"tn","x":1})", "tn"},
      {R"({"log":"ab)", "ab"},
      {R"({"log":"ab\)", "ab\\"},
      {R"({"log":"ab\t)", "ab\t"},
      {R"({"log":")", ""},
      {R"({"text":"ab"})", R"({"text":"ab"})"},
  };
  for (const auto& [line, message] : table) {
    std::string scratch;
    EXPECT_EQ(without_prefix(line, scratch), message) << line;
  }
}

TEST(WithoutPrefix, RemovesLineEndsAndAtMostFourPrefixes) {
  std::string scratch;
  EXPECT_EQ(without_prefix("text\n\r\r\n", scratch), "text");
  EXPECT_EQ(without_prefix("<1><2><3><4>text", scratch), "text");
  EXPECT_EQ(without_prefix("<1><2><3><4><5>text", scratch), "<5>text");
  EXPECT_EQ(without_prefix("Nov 21 03:00:00 host caf\xe9[12]: text", scratch), "text");
}

class Prefix : public testing::TestWithParam<Prefixed> {};

TEST_P(Prefix, IsRemoved) {
  std::string scratch;
  EXPECT_EQ(without_prefix(GetParam().line, scratch), GetParam().message);
}

constexpr const char* kEal = "EAL: Bus (pci) probe failed.";
constexpr const char* kMana = "mana 7870:00:00.0: Failed to establish HWC: -110";
constexpr const char* kNetvsc =
    "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth1: VF slot 1 added";

INSTANTIATE_TEST_SUITE_P(
    Data,
    Prefix,
    testing::Values(
        Prefixed{"none", "EAL: Bus (pci) probe failed.\r\n", kEal},
        Prefixed{"journald", "Nov 21 03:00:00 host dpdk[12]: EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"precise",
                 "Nov  1 03:00:00.123456 h.x a-b.service[1]: EAL: Bus (pci) probe failed.",
                 kEal},
        Prefixed{
            "iso", "2026-11-21T03:00:00+0000 host dpdk[12]: EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"full",
                 "Sat 2026-11-21 03:00:00 UTC host dpdk[12]: EAL: Bus (pci) probe failed.",
                 kEal},
        Prefixed{
            "unix_time", "1795230000.123456 host dpdk[12]: EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"monotonic", "[   12.345678] host dpdk[12]: EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"syslog5424",
                 "<34>1 2026-11-21T03:00:00.1Z host dpdk 12 - - EAL: Bus (pci) probe failed.",
                 kEal},
        Prefixed{
            "cri", "2026-11-21T03:00:00.123456789Z stderr F EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"docker", "2026-11-21T03:00:00.123456789Z EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"compose", "web_1  | EAL: Bus (pci) probe failed.", kEal},
        Prefixed{"json",
                 R"({"log":"EAL: Bus (pci) probe failed.\n","stream":"stderr","time":"x"})",
                 kEal},
        Prefixed{"dmesg", "[   12.345678] mana 7870:00:00.0: Failed to establish HWC: -110", kMana},
        Prefixed{"kmsg", "<3>[ 12.3] mana 7870:00:00.0: Failed to establish HWC: -110", kMana},
        Prefixed{"dmesg_t",
                 "[Sat Nov 21 03:00:00 2026] mana 7870:00:00.0: Failed to establish HWC: -110",
                 kMana},
        Prefixed{"dmesg_x",
                 "kern  :err   : [   12.3] mana 7870:00:00.0: Failed to establish HWC: -110",
                 kMana},
        Prefixed{"journal_kernel",
                 "Nov 21 03:00:00 host kernel: mana 7870:00:00.0: Failed to establish HWC: -110",
                 kMana},
        Prefixed{"rsyslog_kernel",
                 "2026-11-21T03:00:00.1+00:00 host kernel: [ 12.3] mana 7870:00:00.0: Failed to "
                 "establish HWC: -110",
                 kMana},
        Prefixed{"dmesg_iso",
                 "2026-11-21T03:00:00,123456+00:00 hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 "
                 "eth1: VF slot 1 added",
                 kNetvsc},
        Prefixed{"netvsc",
                 "[ 1.2] hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth1: VF slot 1 added",
                 kNetvsc}),
    [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace manactl::diag::log_reader_test
