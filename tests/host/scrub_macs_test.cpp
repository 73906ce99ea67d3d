// SPDX-License-Identifier: MIT

#include "host/scrub_macs.h"

#include <gtest/gtest.h>

#include "host/mac_spellings.h"
#include "host/scrubbing.h"

namespace manactl::host::scrub_macs_test {
namespace {

TEST(ScrubbedMac, MayHaveAnySeparator) {
  for (const char* separator : {"",
                                ", 0x",
                                ",0x",
                                " 0x",
                                ":0x",
                                "\\x",
                                "%3a",
                                "%3A",
                                "%2d",
                                "\\:",
                                ", ",
                                ",",
                                " ",
                                ":",
                                "-",
                                ".",
                                "_"}) {
    const auto mac = [&](const char* text) {
      std::string result = text;
      for (std::size_t at = 10; at > 0; at -= 2) result.insert(at, separator);
      return result;
    };
    EXPECT_EQ(scrub_with_mac("+" + mac("000d3a763bd0")), "+" + mac("020000000001")) << separator;
  }
  EXPECT_EQ(scrub_with_mac("00+0d+3a+76+3b+d0"), "00+0d+3a+76+3b+d0");
  EXPECT_EQ(scrub_with_mac("00:0d:3a:76:3b:d"), "00:0d:3a:76:3b:d");
}

TEST(ScrubbedMac, IsFoundWithoutSeparatorsIfItsPrefixIsMicrosofts) {
  for (const char* prefix :
       {"000d3a", "002248", "6045bd", "7c1e52", "00155d", "7ced8d", "00125a", "0017fa", "281878"}) {
    EXPECT_EQ(scrub(fmt::format("{}010203", prefix)), "020000000001") << prefix;
    EXPECT_EQ(scrub(fmt::format("0x{}010203", prefix)), "0x020000000001") << prefix;
  }
  expect_kept({"0a0b0c0d0e0f", "000d3b010203", "000d3a0102030", "000d3a01020"});
}

TEST(MacReplacer, ReplacesOnlyKnownAddresses) {
  MacReplacer macs;
  macs.learn("00:0d:3a:76:3b:d0");
  const auto replaced = [&](std::string_view text) {
    std::string out;
    return macs.replace(text, 0, out) == text.size() ? out : std::string("kept") + out;
  };
  EXPECT_EQ(replaced("00:0d:3a:76:3b:d0"), "02:00:00:00:00:01");
  EXPECT_EQ(replaced("00:0d:3a:76:3b:d1"), "kept");
  EXPECT_EQ(replaced("02:0d:3a:ff:fe:76:3b:d0"), "00:00:00:ff:fe:00:00:01");
  EXPECT_EQ(replaced("02:0d:3a:ff:fe:76:3b:d1"), "kept");
  EXPECT_EQ(replaced("20d:3aff:fe76:3bd0"), "0:ff:fe00:1");
  EXPECT_EQ(replaced("20d:3aff:fe76:3bd1"), "kept");
  EXPECT_EQ(replaced("000d3a76-3bd0-000d-3a76-3bd0000d3a76"),
            "02000000-0001-0200-0000-000102000000");
  EXPECT_EQ(replaced("000d3b76-3bd0-000d-3b76-3bd0000d3b76"), "kept");
}

TEST(MacReplacer, IsFullWith300000Addresses) {
  MacReplacer macs;
  for (unsigned i = 1; i < 300'000; ++i) {
    macs.learn(fmt::format("00:0d:3a:{:02x}:{:02x}:{:02x}", i >> 16U, i >> 8U & 255U, i & 255U));
  }
  EXPECT_FALSE(macs.is_full());
  macs.learn("00:0d:3b:00:00:00");
  EXPECT_TRUE(macs.is_full());
}

TEST(ScrubbedMac, MayBeANumber) {
  EXPECT_EQ(scrub_with_mac("0xd3a763bd0"), "0x20000000001");
  EXPECT_EQ(scrub_with_mac("0x0000000d3a763bd0"), "0x0000020000000001");
}

TEST(ScrubbedMac, IsFoundInNamesOfInterfaces) {
  expect_scrubbed({{"enx0a0b0c0d0e0f", "enx020000000001"}, {"ENX0a0b0c0d0e0f", "ENX020000000001"}});
  expect_kept({"fnx0a0b0c0d0e0f", "emx0a0b0c0d0e0f", "eny0a0b0c0d0e0f", "nx0a0b0c0d0e0f"});
}

TEST(ScrubbedMac, IsFoundInSixOctets) {
  expect_scrubbed({{"0a:0b:0c:0d:0e:0f", "02:00:00:00:00:01"},
                   {"0a-0b-0c-0d-0e-0f", "02-00-00-00-00-01"},
                   {"0a_0b_0c_0d_0e_0f", "02_00_00_00_00_01"},
                   {"0a.0b.0c.0d.0e.0f", "02.00.00.00.00.01"},
                   {"0a:0b:0c:0d:0e:0fa", "02:00:00:00:00:01a"},
                   {"12:34:56:78:90:12", "02:00:00:00:00:01"},
                   {"28-18-78-11-22-33", "02-00-00-00-00-01"}});
  expect_kept({"12-34-56-78-90-12",
               "0a-0b-0c-0d-0e-0fa",
               "0a+0b+0c+0d+0e+0f",
               "0d:3a:76:3b:d0",
               "0a:0b-0c:0d-0e:0f"});
}

TEST(ScrubbedMac, IsFoundInIdsOfDhcp) {
  expect_scrubbed(
      {{"00:03:00:01:00:0d:3a:76:3b:d0", "00:03:00:01:02:00:00:00:00:01"},
       {"3b:d0:3b:d0:00:03:00:01:00:0d:3a:76:3b:d0", "3b:d0:3b:d0:00:03:00:01:02:00:00:00:00:01"},
       {"00:00:00:07:00:01:00:01:2a:3b:4c:5d:00:0d:3a:76:3b:d0",
        "00:00:00:07:00:01:00:01:2a:3b:4c:5d:02:00:00:00:00:01"}});
  expect_kept({"00:01:00:01:2a:3b:4c:5d:00:0d:3a:76:3b 0:0:d:3a:76:3b",
               "00:03:00:01:00:0d:3a:76:3b 0:0:d:3a:76:3b",
               "00:0d:3a:76:3b:d0:12:34:56:78:9a:bd:08 0:d:3a:76:3b:d0"});
}

TEST(ScrubbedMac, IsFoundInGroupsOfFourDigits) {
  for (const char separator : {'.', '-', ':', '_'}) {
    EXPECT_EQ(scrub(fmt::format("0a0b{0}0c0d{0}0e0f", separator)),
              fmt::format("0200{0}0000{0}0001", separator));
  }
  expect_scrubbed({{"2818.7811.2233", "0200.0000.0001"},
                   {"0a0b.0c0d.0e0f. x", "0200.0000.0001. x"},
                   {"-0a0b.0c0d.0e0f", "-0200.0000.0001"}});
  expect_kept({"1234.5678.9012",
               "0a0b+0c0d+0e0f",
               "0a0b.0c0d-0e0f",
               "0a0b.0c0d.0e0fx",
               "0a0b.0c0d.0e0f.1111",
               "1111.0a0b.0c0d.0e0f",
               "0a0b.0c0d.0e0",
               "0g0d.3a76.3bd0 10:d:3a:76:3b:d0",
               "000d.3g76.3bd0 0:d:40:76:3b:d0",
               "000d.3a76.3gd0 0:d:3a:76:40:d0"});
}

TEST(ScrubbedMac, IsFoundInIdsOfChannels) {
  expect_scrubbed(
      {{"0a0b0c0d-0e0f-0a0b-0c0d-0e0f0a0b0c0d", "02000000-0001-0200-0000-000102000000"},
       {"0A0B0C0D-0E0F-0a0b-0c0d-0e0f0a0b0c0d", "02000000-0001-0200-0000-000102000000"}});
  expect_kept({"vmbus 0a0b0c0d-0e0f-0a0b-0c0d-0e100a0b0c0d",
               "0a0b0c0d-0e0f-0a0b-0c0d-0e0f0a0b0c0",
               "0a0b0c0d+0e0f-0a0b-0c0d-0e0f0a0b0c0d",
               "0a0b0c0d-0e0f+0a0b-0c0d-0e0f0a0b0c0d",
               "0a0b0c0d-0e0f-0a0b+0c0d-0e0f0a0b0c0d",
               "0a0b0c0d-0e0f-0a0b-0c0d+0e0f0a0b0c0d",
               "0a0b0c0d-0e0f-0a0b-0c0d-0e0f0a0bxc0d"});
  EXPECT_EQ(scrub_with_mac("11111111-1111-000d-3a76-3bd022222222"),
            "11111111-1111-0200-0000-000122222222");
  EXPECT_EQ(scrub_with_mac("11111111-1111-2222-2222-2222000d3a76"),
            "11111111-1111-2222-2222-222202000000");
  const std::string other = "vmbus 11111111-1111-2222-2222-2222000d3a75";
  EXPECT_EQ(scrub_with_mac(other), other);
}

TEST(ScrubbedEui64, IsFoundInEverySpelling) {
  expect_scrubbed({{"02:0d:3a:ff:fe:76:3b:d0", "00:00:00:ff:fe:00:00:01"},
                   {"80:00:02:08:fe:80:00:00:00:00:00:00:02:0d:3a:ff:fe:76:3b:d0",
                    "80:00:02:08:fe:80:00:00:00:00:00:00:00:00:00:ff:fe:00:00:01"},
                   {"020d3afffe763bd0", "000000fffe000001"},
                   {"fe80000000000000020d3afffe763bd0", "fe80000000000000000000fffe000001"},
                   {"20d-3aff-fe76-3bd0", "0-ff-fe00-1"},
                   {"20d.3aff.fe76.3bd0", "0.ff.fe00.1"}});
  expect_kept({"020d3afffe763bd0x",
               "020d3afffd763bd0",
               "20d+3aff+fe76+3bd0",
               "20d:3aff-fe76:3bd0",
               "20d:3aff:fe76",
               "020d:3aff:fe76:3bd01",
               "20d:3aff:fe76:"});
  EXPECT_EQ(scrub_with_mac("aa20d:3aff:fe76:3bd0"), "aa20d:3aff:fe76:3bd0");
}

TEST(ScrubbedEui64, BelongsToTheMacAddressWithTheInvertedBit) {
  expect_scrubbed({{"020d:3aff:fe76:3bd0 0:d:3a:76:3b:d0 2:d:3a:76:3b:d0",
                    "0000:00ff:fe00:0001 2:0:0:0:0:1 2:d:3a:76:3b:d0"},
                   {"000d:3aff:fe76:3bd0 0:d:3a:76:3b:d0 2:d:3a:76:3b:d0",
                    "0200:00ff:fe00:0001 2:0:0:0:0:1 2:0:0:0:0:2"}});
}

TEST(ScrubbedMac, IsReplacedWithoutLeadingZeros) {
  expect_scrubbed({{"10:d:3a:76:3b:d0 00:0d:3a:76:3b:d0", "10:d:3a:76:3b:d0 02:00:00:00:00:01"},
                   {"00:0d:3a:76:3b:d0 0:d:3a:76:3b:d0", "02:00:00:00:00:01 2:0:0:0:0:1"},
                   {"00:0d:3a:76:3b:d0 0:d:3a:76:3b:", "02:00:00:00:00:01 0:d:3a:76:3b:"},
                   {"00:0d:3a:76:3b:d0 0-d-3a-76-3b-d0", "02:00:00:00:00:01 0-d-3a-76-3b-d0"},
                   {"00:0d:3a:76:3b:d0 0:d:3a:076:3b:d0", "02:00:00:00:00:01 0:d:3a:076:3b:d0"}});
}

TEST(ScrubbedMac, IsReplacedInANumber) {
  expect_scrubbed(
      {{"0xd3a763bd0 00:0d:3a:76:3b:d0", "0x20000000001 02:00:00:00:00:01"},
       {"00:00:d3:a7:63:bd 0xd3a763bd", "02:00:00:00:00:01 0x20000000001"},
       {"00:00:0d:3a:76:3b 0xd3a763b", "02:00:00:00:00:01 0xd3a763b"},
       {"00:0d:3a:76:3b:d0 0x0000000d3a763bd0 0x10000000d3a763bd0",
        "02:00:00:00:00:01 0x0000020000000001 0x10000020000000001"},
       {"00:0d:3a:76:3b:d0 1xd3a763bd0 0yd3a763bd0", "02:00:00:00:00:01 1xd3a763bd0 0yd3a763bd0"}});
}

TEST(ScrubbedMac, IsReplacedInReversedOrder) {
  EXPECT_EQ(scrub_with_mac("d03b763a0d00"), "010000000002");
}

TEST(ScrubbedMac, IsNeverReplacedByAnAddressOfTheMachine) {
  expect_scrubbed({{"02:00:00:00:00:01 00:0d:3a:76:3b:d0", "02:00:00:00:00:02 02:00:00:00:00:03"}});
}

TEST(ScrubbedMac, IsNotReplacedIfItIdentifiesNobody) {
  expect_kept({"00:00:00:00:00:00", "ff:ff:ff:ff:ff:ff", "12:34:56:78:9a:bc"});
  expect_scrubbed(
      {{"ff:ff:ff:ff:ff:fe", "02:00:00:00:00:01"}, {"00:00:00:00:00:01", "02:00:00:00:00:01"}});
}

TEST(MacSpellings, ConvertBetweenMacAddressAndEui64) {
  EXPECT_EQ(eui_of_mac(0x000d3a763bd0), 0x000d3afffe763bd0U);
  EXPECT_EQ(mac_of_eui(0x000d3afffe763bd0), 0x000d3a763bd0U);
  EXPECT_EQ(with_flipped_bit(0x000d3a763bd0), 0x020d3a763bd0U);
  EXPECT_EQ(reversed(0x010203040506), 0x060504030201U);
}

}  // namespace
}  // namespace manactl::host::scrub_macs_test
