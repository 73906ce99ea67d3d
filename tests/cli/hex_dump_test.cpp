// SPDX-License-Identifier: MIT

#include "cli/decode/hex_dump.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::cli::hex_dump_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Octets = std::vector<std::uint8_t>;

std::vector<Octets> parse(std::string_view text, GroupOrder order = GroupOrder::automatic) {
  const auto dump = parse_hex_dump(text, order);
  EXPECT_TRUE(dump.has_value()) << dump.error().message;
  return dump ? dump->parts : std::vector<Octets>{};
}

std::string error_of(std::string_view text) {
  const auto dump = parse_hex_dump(text, GroupOrder::automatic);
  EXPECT_FALSE(dump.has_value()) << text;
  return dump ? std::string() : dump.error().message;
}

const Octets kEight = {5, 0, 0, 0, 0x40, 0, 0, 0x80};

TEST(HexDump, ParsesPlainDigits) {
  for (const char* text : {"0500000040000080",
                           "05000000 40000080",
                           "05 00 00 00 40 00 00 80",
                           "05000000\n40000080\n",
                           "  0500 0000\t4000 0080\r\n",
                           "05,00,00,00,40,00,00,80",
                           "{ 0x05, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x80 };"}) {
    EXPECT_THAT(parse(text), ElementsAre(kEight)) << text;
  }
}

TEST(HexDump, ParsesNumbersAsLittleEndian) {
  EXPECT_THAT(parse("0x8000004000000005"), ElementsAre(kEight));
  EXPECT_THAT(parse("0x00000005, 0x80000040"), ElementsAre(kEight));
  EXPECT_THAT(parse("0x5"), ElementsAre(Octets{5}));
  EXPECT_THAT(parse("0x105"), ElementsAre(Octets{5, 1}));
}

// Output of print_hex_dump(KERN_DEBUG, "cqe ", DUMP_PREFIX_OFFSET, 16, 1, p, 20, true) in dmesg.
TEST(HexDump, ParsesPrintHexDump) {
  const auto parts = parse(
      "[   12.345678] cqe 00000000: 05 00 00 00 40 00 00 80 41 42 20 44 45 46 47 48  ....@...AB "
      "DEFGH\n"
      "[   12.345679] cqe 00000010: 49 4a 20 4c                                      IJ L\n");
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].size(), 20U);
  EXPECT_EQ(parts[0][7], 0x80);
  EXPECT_EQ(parts[0][19], 'L');
}

TEST(HexDump, SkipsLogPrefixes) {
  for (const char* prefix : {"",
                             "<7>",
                             "<7>[   12.345678] ",
                             "[Sat Nov 21 10:00:00 2026] mana 7870:00:00.0: ",
                             "Nov 21 10:00:00 vm-1 kernel: [   12.345678] mana: dead beef: ",
                             "2026-11-21T10:00:00.123456+00:00 vm kernel: "}) {
    const auto text = std::string(prefix) + " 00000000: 05 00 00 00 40 00 00 80  ....@...";
    EXPECT_THAT(parse(text), ElementsAre(kEight)) << text;
  }
}

TEST(HexDump, AcceptsAddressesAndMissingOffsets) {
  EXPECT_THAT(parse("mana: 00000000d3adb33f: 05 00 00 00\nmana: 000000001234abcd: 40 00 00 80\n"),
              ElementsAre(kEight));
  EXPECT_THAT(parse("[    1.2] mana: 05 00 00 00  ....\n[    1.2] mana: 40 00 00 80  @...\n"),
              ElementsAre(kEight));
  EXPECT_THAT(parse("05 00 00 00 40 00 00 80  ....@...\n"), ElementsAre(kEight));
}

TEST(HexDump, ParsesGroupsOfTheKernelAsNumbers) {
  EXPECT_THAT(parse("[    1.2] 00000000: 00000005 80000040"), ElementsAre(kEight));
  EXPECT_THAT(parse("[    1.2] 00000000: 8000004000000005"), ElementsAre(kEight));
  EXPECT_THAT(parse("00000000: 00000005 80000040"), ElementsAre(kEight));
  // The text column of this output of xxd -g4 determines the byte order.
  EXPECT_THAT(parse("00000000: 05000000 40000080  ....@..."), ElementsAre(kEight));
}

TEST(HexDump, ParsesXxd) {
  EXPECT_THAT(parse("00000000: 0500 0000 4000 0080                      ....@..."),
              ElementsAre(kEight));
  EXPECT_THAT(parse("00000000: 0500 00"), ElementsAre(Octets{5, 0, 0}));
}

TEST(HexDump, ParsesHexdumpAndOd) {
  EXPECT_THAT(parse("00000000  05 00 00 00 40 00 00 80                           |....@...|\n"
                    "00000008\n"),
              ElementsAre(kEight));
  EXPECT_THAT(parse("0000000 0005 0000 0040 8000\n0000008\n"), ElementsAre(kEight));
  EXPECT_THAT(error_of("0000000 000005 000000\n"), HasSubstr("odd number of digits"));
  EXPECT_THAT(parse("0000000 05 00 00 00 40 00 00 80\n0000010\n"), ElementsAre(kEight));
  EXPECT_THAT(parse("0000000 00000005 80000040\n0000010\n"), ElementsAre(kEight));
}

TEST(HexDump, ExpandsAStar) {
  const auto hexdump = parse(
      "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n"
      "*\n"
      "00000040  05                                                |.|\n"
      "00000041\n");
  ASSERT_EQ(hexdump.size(), 1U);
  EXPECT_EQ(hexdump[0].size(), 65U);
  // Offset 0000020 after 16 bytes shows that offsets are octal.
  const auto od = parse(
      "0000000 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "0000020 01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
      "*\n"
      "0000100\n");
  ASSERT_EQ(od.size(), 1U);
  EXPECT_EQ(od[0].size(), 64U);
}

TEST(HexDump, StartsANewPartAtOffsetZero) {
  EXPECT_THAT(parse("[ 1.0] 00000000: 01 02\n[ 1.1] mana: something\n[ 1.2] 00000000: 03\n"),
              ElementsAre(Octets{1, 2}, Octets{3}));
}

TEST(HexDump, ReportsItsAssumptions) {
  const auto dump =
      parse_hex_dump("[ 1.0] 00000000: 00000005\n[ 1.0] link up\n", GroupOrder::automatic);
  ASSERT_TRUE(dump.has_value());
  EXPECT_THAT(dump->notes,
              ElementsAre(HasSubstr("little-endian words"),
                          HasSubstr("1 line without hexadecimal data was skipped")));
  EXPECT_THAT(parse_hex_dump("05000000", GroupOrder::automatic)->notes, IsEmpty());
}

TEST(HexDump, UsesTheGivenOrder) {
  EXPECT_THAT(parse("00000005 80000040", GroupOrder::words), ElementsAre(kEight));
  EXPECT_THAT(parse("[ 1.0] 00000000: 05000000 40000080", GroupOrder::bytes), ElementsAre(kEight));
}

TEST(HexDump, RejectsOtherText) {
  EXPECT_THAT(error_of(""), HasSubstr("no bytes"));
  EXPECT_THAT(error_of("\n\n"), HasSubstr("no bytes"));
  EXPECT_THAT(error_of("05 0g"), HasSubstr("line 1: '0g' is not hexadecimal"));
  EXPECT_THAT(error_of("05\nhello\n"), HasSubstr("line 2: 'hello'"));
  EXPECT_THAT(error_of("050"), HasSubstr("odd number of digits"));
  EXPECT_THAT(error_of("0x"), HasSubstr("line 1"));
  EXPECT_THAT(error_of("\x1b[31m"), HasSubstr("\\x1b"));
}

TEST(HexDump, LimitsTheMemoryOfItsLines) {
  std::string text;
  for (int i = 0; i < 600'000; ++i) text += "00\n";
  EXPECT_THAT(error_of(text), HasSubstr("the dump needs more memory than the limit of 128 MiB"));
}

TEST(HexDump, ReadsALongLineOfOffsetsInLinearTime) {
  std::string text;
  for (int i = 0; i < 200'000; ++i) text += "0000000: 00 ";
  EXPECT_THAT(error_of(text), HasSubstr("not hexadecimal"));
}

TEST(HexDump, RejectsMissingLines) {
  EXPECT_THAT(error_of("00000000: 01 02\n00000010: 03\n"), HasSubstr("line 2: offset 00000010"));
  EXPECT_THAT(error_of("*\n00000010: 03\n"), HasSubstr("no line precedes the '*'"));
  EXPECT_THAT(error_of("00000000: 01 02\n*\n"), HasSubstr("the final offset is missing"));
  EXPECT_THAT(error_of("00000000: 01 02\n*\n00000005: 01\n"), HasSubstr("its offset does not fit"));
  EXPECT_THAT(error_of("00000000: 01 02\n*\nf0000000: 01\n"), HasSubstr("its offset does not fit"));
  EXPECT_THAT(error_of("00000000: 01\n*\n000fffff: 01\n*\n001ffffe: 01\n"), HasSubstr("1 MiB"));
  EXPECT_THAT(error_of("0000000 00 00 00 00 00 00 00 00\n*\n0000100\n"), HasSubstr("with -v"));
}

// parse_hex_dump() must parse truncated and modified dumps or fail with a one-line error.
TEST(HexDump, ParsesOrRejectsDamagedDumps) {
  for (const std::string seed :
       {"[   12.3] mana: 00000000: 05 00 00 00 40 00 00 80  ....@...\n*\n00000020: 01\n",
        "00000000  05 00 00 00 40 00 00 80  01 02 |....@...|\n*\n00000040\n",
        "0000000 0005 0000\n*\n0000020\n",
        "0x05, {0x1f}; 0500\n"}) {
    for (std::size_t at = 0; at < seed.size(); ++at) {
      for (const char other : {'\0', ' ', '\n', ':', '|', '*', '0', 'f', '\xff'}) {
        auto text = seed;
        text[at] = other;
        const auto dump = parse_hex_dump(text, GroupOrder::automatic);
        if (!dump) {
          EXPECT_EQ(dump.error().code, Errc::invalid);
          EXPECT_THAT(dump.error().message, Not(HasSubstr("\n")));
        } else {
          EXPECT_FALSE(dump->parts.empty());
        }
      }
      (void)parse_hex_dump(std::string(seed, 0, at), GroupOrder::words);
    }
  }
}

TEST(HexDump, DistinguishesDigitsFromNamesAndBytesFromText) {
  EXPECT_TRUE(looks_hexadecimal("05000000"));
  EXPECT_TRUE(looks_hexadecimal("0x1f"));
  EXPECT_TRUE(looks_hexadecimal("05,00"));
  EXPECT_FALSE(looks_hexadecimal("dump.txt"));
  EXPECT_FALSE(looks_hexadecimal("./05"));
  EXPECT_TRUE(looks_binary(std::string_view("\x05\0", 2)));
  EXPECT_FALSE(looks_binary("05 00\r\n\x1b[0m"));
}

}  // namespace
}  // namespace manactl::cli::hex_dump_test
