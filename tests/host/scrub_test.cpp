// SPDX-License-Identifier: MIT

#include "host/scrub.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::host {
namespace {

using ::testing::HasSubstr;

std::string scrub(const std::string& text, const std::string& host = "") {
  Scrubber scrubber(host);
  scrubber.learn(text);
  return scrubber.scrubbed_prose(text);
}

TEST(Scrubber, ReplacesEqualAddressesEqually) {
  EXPECT_EQ(scrub("00:0d:3a:76:3b:d0 00:0d:3a:76:3b:d1 00:0D:3A:76:3B:D0"),
            "02:00:00:00:00:01 02:00:00:00:00:02 02:00:00:00:00:01");
}

TEST(Scrubber, ReplacesAddressesInChannelIdsAndNames) {
  const std::string text = scrub(
      "00:0d:3a:76:3b:d0\nVMBUS:00/000d3a76-3bd0-000d-3a76-3bd0000d3a76/net\nenx000d3a763bd0");
  EXPECT_THAT(text, HasSubstr("VMBUS:00/02000000-0001-0200-0000-000102000000/net"));
  EXPECT_THAT(text, HasSubstr("enx020000000001"));
}

TEST(Scrubber, KeepsChannelIdsDistinct) {
  const std::string text = scrub(
      "00:0d:3a:76:3b:d0 00:0d:3a:76:3b:d1 000d3a76-3bd0-000d-3a76-3bd1000d3a76 "
      "000d3a76-3bd0-000d-3a76-3bd0000d3a76");
  EXPECT_THAT(text, HasSubstr("02000000-0001-0200-0000-000202000000"));
  EXPECT_THAT(text, HasSubstr("02000000-0001-0200-0000-000102000000"));
}

TEST(Scrubber, ReplacesIpAddresses) {
  const std::string text = scrub("inet 10.0.0.4/24, 10.0.0.4:22 [fd00::7]:80 fe80::20d:3aff:1");
  EXPECT_EQ(text, "inet 198.18.0.1/24, 198.18.0.1:22 [2001:db8::1]:80 fe80::2");
}

TEST(Scrubber, KeepsWellKnownAddresses) {
  const std::string text =
      "127.0.0.1 ::1 0.0.0.0 168.63.129.16 169.254.169.254 00:00:00:00:00:00 ff:ff:ff:ff:ff:ff "
      "12:34:56:78:9a:bc f8615163-df3e-46c5-913f-f2d2f965ed0e";
  EXPECT_EQ(scrub(text), text);
}

TEST(Scrubber, KeepsTextThatOnlyResemblesAnAddress) {
  const std::string text =
      "libibverbs.so.1.14.44.0 7870:00:00.0 12:34:56 22.11.11 std::vector 6.8.0-1062-azure "
      "0000:00:03.0 a.b.c.d 1.2.3.4.5";
  EXPECT_EQ(scrub(text), text);
}

TEST(Scrubber, ReplacesTheHostNameInProseOnly) {
  EXPECT_EQ(scrub("Nov 21 web01 kernel: web012 web01", "web01"), "Nov 21 host kernel: web012 host");
  Scrubber scrubber("mana");
  EXPECT_EQ(scrubber.scrubbed("sys/module/mana"), "sys/module/mana");
}

TEST(Scrubber, KeepsBinaryData) {
  const std::string data = std::string(
      "10.0.0.4\0"
      "10.0.0.4",
      17);
  EXPECT_EQ(scrub(data), data);
}

TEST(Scrubber, ReplacesAddressesInPathsAndTargets) {
  const TreeEntries tree = {
      {"a/address", {TreeEntry::Kind::file, "00:0d:3a:76:3b:d0\n"}},
      {"bus/000d3a76-3bd0-000d-3a76-3bd0000d3a76",
       {TreeEntry::Kind::link, "../000d3a76-3bd0-000d-3a76-3bd0000d3a76"}},
  };
  const TreeEntries scrubbed = scrubbed_tree(tree, {{"logs/1.log", "on web01: 10.0.0.4"}}, "web01");
  const auto link = scrubbed.find("bus/02000000-0001-0200-0000-000102000000");
  ASSERT_NE(link, scrubbed.end());
  EXPECT_EQ(link->second.text, "../02000000-0001-0200-0000-000102000000");
  EXPECT_EQ(scrubbed.at("logs/1.log").text, "on host: 198.18.0.1");
}

}  // namespace
}  // namespace manactl::host
