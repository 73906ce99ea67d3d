// SPDX-License-Identifier: MIT

#include "host/scrub_ips.h"

#include <gtest/gtest.h>

#include "host/scrubbing.h"

namespace manactl::host::scrub_ips_test {
namespace {

TEST(ScrubbedIpv4, HasFourNumbersUpTo255) {
  expect_scrubbed({{"10.0.0.255", "198.18.0.1"}, {"010.0.00.004", "198.18.0.1"}});
  expect_kept({"10.0.0.256", "10.0.0.0255", "1010.0.0.4", "10.0..4", "10.0.0", "10.0-0.4"});
}

TEST(ScrubbedIpv4, IsNotReplacedIfItIsTheSameOnEveryMachine) {
  expect_kept({"127.9.8.7", "0.1.2.3", "255.1.2.3", "168.63.129.16", "169.254.169.254"});
  expect_scrubbed({{"126.1.2.3 128.1.2.3 1.2.3.4 254.1.2.3 168.63.129.17 169.254.169.253",
                    "198.18.0.1 198.18.0.2 198.18.0.3 198.18.0.4 198.18.0.5 198.18.0.6"}});
}

TEST(ScrubbedIpv4, IsReplacedWithinAWordIfItIsPrivate) {
  for (const char* address : {"10.0.0.4",
                              "172.16.0.1",
                              "172.31.255.255",
                              "192.168.1.1",
                              "100.64.0.1",
                              "100.127.255.255"}) {
    EXPECT_EQ(scrub(fmt::format("x{}y", address)), "x198.18.0.1y") << address;
  }
  for (const char* address : {"9.0.0.4",
                              "11.0.0.4",
                              "172.15.0.1",
                              "172.32.0.1",
                              "192.167.1.1",
                              "192.169.1.1",
                              "100.63.0.1",
                              "100.128.0.1"}) {
    const auto prefixed = fmt::format("x{}", address);
    const auto followed = fmt::format("{}y", address);
    EXPECT_EQ(scrub(prefixed), prefixed);
    EXPECT_EQ(scrub(followed), followed);
    EXPECT_EQ(scrub(fmt::format("{} {}", address, prefixed)), "198.18.0.1 x198.18.0.1");
    EXPECT_EQ(scrub(fmt::format("{} {}", address, followed)), "198.18.0.1 198.18.0.1y");
  }
}

TEST(ScrubbedIpv4, IsDistinguishedFromVersions) {
  expect_kept({"1.2.3.4.5.6", "lib.20.51.37.9", ".20.51.37.9"});
  expect_scrubbed({{"1.2.3.4 1.2.3.4.5.6", "198.18.0.1 198.18.0.1.5.6"},
                   {"20.51.37.9 x.20.51.37.9", "198.18.0.1 x.198.18.0.1"},
                   {"20.51.37.9 lib.so.20.51.37.9", "198.18.0.1 lib.so.20.51.37.9"},
                   {"..20.51.37.9", "..198.18.0.1"},
                   {"20.51.37.9.22.x 20.51.37.9.", "198.18.0.1.22.x 198.18.0.1."}});
}

TEST(ScrubbedIpv4, IsReplacedInNames) {
  expect_scrubbed({{"10.0.0.4 ip-10-0-0-4 vm_10_0_0_4 ip-10-0-0-5 ip+10+0+0+4",
                    "198.18.0.1 ip-198-18-0-1 vm_198_18_0_1 ip-10-0-0-5 ip+10+0+0+4"}});
}

TEST(ScrubbedIpv4, IsReplacedInHexadecimalDigits) {
  expect_scrubbed(
      {{"0x0a000004 10.0.0.4", "0xc6120001 198.18.0.1"},
       {"10.0.0.4 0a000004 0A000004 0X0a000004", "198.18.0.1 c6120001 c6120001 0Xc6120001"},
       {"10.0.0.4 0xa000004 0x400000a", "198.18.0.1 0xc6120001 0x10012c6"},
       {"x0a000004 10.0.0.4", "x0a000004 198.18.0.1"},
       {"10.0.0.4 1x0a000004 0y0a000004 z0a000004 a000004",
        "198.18.0.1 1x0a000004 0y0a000004 z0a000004 a000004"},
       {"10.0.0.4 0a0000041 0x0a00000g 0a000004g", "198.18.0.1 0a0000041 0x0a00000g 0a000004g"}});
}

TEST(ScrubbedIpv4, IsReplacedInEightDecimalDigitsOnlyWithAPortOrPrefix) {
  expect_scrubbed({{"18.52.86.120 12345678 12345678:16 12345678-0016 12345678:00161",
                    "198.18.0.1 12345678 12345678:16 12345678-0016 12345678:00161"},
                   {"18.52.86.120 12345678:0016 x 78563412:0016 0x12345678",
                    "198.18.0.1 c6120001:0016 x 010012c6:0016 0xc6120001"}});
}

TEST(ScrubbedIpv4, IsKeptInEverySpellingIfItIsPublic) {
  expect_kept({"::ffff:127.0.0.1 0100007f:0016 0x7f000001 ip-127-0-0-1"});
}

TEST(ScrubbedIpv6, IsNotReplacedIfItIsTheSameOnEveryMachine) {
  expect_kept({":: ::1", "::1 00000000000000000000000000000001"});
  expect_scrubbed({{"::2", "2001:db8:5c::1"},
                   {"::100", "2001:db8:5c::1"},
                   {"100::", "2001:db8:5c::1"},
                   {"100::1", "2001:db8:5c::1"}});
}

TEST(ScrubbedIpv6, StaysLinkLocal) {
  expect_scrubbed({{"fe80::1", "fe80::db8:0:1"},
                   {"febf::1", "fe80::db8:0:1"},
                   {"fec0::1", "2001:db8:5c::1"},
                   {"fe40::1", "2001:db8:5c::1"},
                   {"fd80::1", "2001:db8:5c::1"},
                   {"ff80::1", "2001:db8:5c::1"}});
}

TEST(ScrubbedIpv6, MayContainAnIpv4Address) {
  expect_scrubbed({{"::ffff:10.0.0.4", "::ffff:198.18.0.1"},
                   {"0000:0000:0000:0000:0000:ffff:203.100.113.200", "::ffff:198.18.0.1"},
                   {"::feff:10.0.0.4", "2001:db8:5c::1"},
                   {"::fffe:10.0.0.4", "2001:db8:5c::1"},
                   {"1::ffff:10.0.0.4", "2001:db8:5c::1"},
                   {"::1:0:ffff:10.0.0.4", "2001:db8:5c::1"},
                   {"::1:ffff:10.0.0.4", "2001:db8:5c::1"}});
}

TEST(ScrubbedIpv6, BeginsAfterALabelButNotWithinASequence) {
  expect_scrubbed({{"g:fe80::1", "g:fe80::db8:0:1"},
                   {"addr:fe80::1", "addr:fe80::db8:0:1"},
                   {"eth0:fe80::1", "eth0:fe80::db8:0:1"},
                   {"-a:fe80::1", "-2001:db8:5c::1"}});
  expect_kept({"ad:1:2:3:4:5:6:7:8:9a", "1:2:3:4:5:6:7:8:9:a", "12:34", "xfe80::1", "fe80::1xyz"});
}

TEST(ScrubbedIpv6, EndsBeforePortsAndPunctuation) {
  expect_scrubbed({{"2001:db8:1:2:3:4:5:6:443", "2001:db8:5c::1:443"},
                   {"fe80::1.546", "fe80::db8:0:1.546"},
                   {"fe80::1. fe80::1: fe80::1:. fe80::.",
                    "fe80::db8:0:1. fe80::db8:0:1: fe80::db8:0:1:. fe80::db8:0:2."}});
  expect_kept({"fe80::1.5f", "fe80:::1.5", ".:.:", "a:.:"});
}

TEST(ScrubbedIpv6, IsReplacedBeforeOtherCharactersOnlyIfItIsKnown) {
  expect_scrubbed(
      {{"fe80::1 fe80::1xyz fe80::12xyz", "fe80::db8:0:1 fe80::db8:0:1xyz fe80::db8:0:12xyz"},
       {"fd00::7 fd00::7.x.546:eth0 fd00::8.x.546:eth0",
        "2001:db8:5c::1 2001:db8:5c::1.x.546:eth0 fd00::8.x.546:eth0"}});
}

TEST(ScrubbedIpv6, IsReplacedInHexadecimalDigitsOfBothByteOrders) {
  expect_scrubbed({{"fd00::7 000000fd000000000000000007000000",
                    "2001:db8:5c::1 b80d012000005c000000000001000000"},
                   {"fd00::7 FD000000000000000000000000000007:0016",
                    "2001:db8:5c::1 20010db8005c00000000000000000001:0016"}});
  expect_kept({"fd000000000000000000000000000008", "fe80000000000000000000000000000"});
}

TEST(ScrubbedIpv6, IsNeverReplacedByAnAddressOfTheMachine) {
  expect_scrubbed(
      {{"fd00::7 2001:db8:5c::1 fd00::7", "2001:db8:5c::2 2001:db8:5c::3 2001:db8:5c::2"}});
}

TEST(ScrubbedIpv6, IsReplacedOnceIfEscapeSequencesSurroundIt) {
  expect_scrubbed(
      {{"\x1b[31mfd00::7\x1b[0m", "2001:db8:5c::1"}, {"\x1b[31mfe80::7\x1b[0m", "fe80::db8:0:1"}});
}

TEST(ScrubbedIpv4, IsDistinguishedFromReleasesOfRpmPackages) {
  expect_kept({"kernel-6.6.134.1-1.azl3.x86_64",
               "dpdk-20.51.37.9-12.el9_4",
               "x-20.51.37.9-1.cm2",
               "x-20.51.37.9-1.fc40",
               "x-20.51.37.9-1.amzn2023",
               "x-20.51.37.9-3.lp155 x-20.51.37.9-1.suse",
               "x-20.51.37.9-2.mga9"});
  expect_scrubbed({{"cap-52.77.88.99-443.pcap", "cap-198.18.0.1-443.pcap"},
                   {"52.77.88.99-1.log", "198.18.0.1-1.log"}});
}

TEST(ScrubbedIpv4, IsReplacedWithEscapedDots) {
  expect_scrubbed({{R"(10\.77\.88\.99)", R"(198\.18\.0\.1)"},
                   {R"(10\\.77\\.88\\.99 52\.77\.88\.99)", R"(198\\.18\\.0\\.1 198\.18\.0\.2)"},
                   {"10[.]77[.]88[.]99", "198[.]18[.]0[.]1"},
                   {"x%3D52%2E77%2e88%2E99", "x%3D198%2E18%2E0%2E1"}});
}

TEST(ScrubbedIps, AreCollectedFromTablesOfSockets) {
  expect_scrubbed(
      {{"0: 0400000A:0016 63584D34:01BB 01", "0: 010012c6:0016 020012c6:01BB 01"},
       {"000000000000000000000000FFFF0A00:0016 0403021000000000A418BFEE00000001:01BB",
        "b80d012000005c000000000001000000:0016 b80d012000005c000000000002000000:01BB"}});
  expect_kept({"63584D34:01BB x", "63584D34:01BB 63584D34:01BBx", "0100007F:0016 00000000:0000"});
}

TEST(ScrubbedIpv4, IsReplacedInDumpsIfItIsKnown) {
  expect_scrubbed({{"10.0.0.4 HEX: 45 00 0a 00 00 04 34 4d 58 63",
                    "198.18.0.1 HEX: 45 00 c6 12 00 01 34 4d 58 63"},
                   {"10.0.0.4\n0x0010:  4006 b1e6 0A00 0004 344d",
                    "198.18.0.1\n0x0010:  4006 b1e6 c612 0001 344d"}});
}

TEST(ScrubbedIpv6, IsReplacedInUrls) {
  expect_scrubbed({{"x=2603%3A1030%3A800%3a5%3A%3Abfee%3Aa418&y", "x=2001%3Adb8%3A5c%3A%3A1&y"},
                   {"http%3A%2F%2F%5Bfd00%3A%3A7%5D%3A80 fd00::7",
                    "http%3A%2F%2F%5B2001%3Adb8%3A5c%3A%3A1%5D%3A80 2001:db8:5c::1"}});
  expect_kept({"12%3A34", "x%3Ay", "%3A%3A1"});
}

TEST(ScrubbedIpv6, BeginsAfterALabelOfHexadecimalLetters) {
  expect_scrubbed({{"add:2603:1030:800:5:0:0:bfee:a418", "add:2001:db8:5c::1"}});
}

TEST(ScrubbedIps, AreNumberedBeyondOneByte) {
  std::string text, expected;
  for (unsigned i = 1; i <= 257; ++i) {
    text += fmt::format("10.1.{}.{} fd00:1::{:x} ", i >> 8U, i & 0xff, i);
    expected += fmt::format("198.18.{}.{} 2001:db8:5c::{:x} ", i >> 8U, i & 0xff, i);
  }
  EXPECT_EQ(scrub(text), expected);
}

TEST(ScrubbedIpv6, IsNumberedBeyondTwoBytes) {
  std::string text;
  for (unsigned i = 0; i < 0x10001; ++i)
    text += fmt::format("fd00::{:x}:{:x}\n", i >> 16U, i & 0xffff);
  IpReplacer ips;
  ips.learn(text);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    out.clear();
    ips.replace(text, at, out);
  }
  EXPECT_EQ(out, "2001:db8:5c::1:1");
}

}  // namespace
}  // namespace manactl::host::scrub_ips_test
