// SPDX-License-Identifier: MIT

#include "base/ids.h"

#include <gmock/gmock.h>

namespace manactl::ids_test {
namespace {

using ::testing::ElementsAre;

TEST(PciAddress, ParsesItsOwnOutput) {
  const auto address = PciAddress::parse("7870:00:1f.7");
  ASSERT_TRUE(address);
  EXPECT_EQ(address->domain, 0x7870U);
  EXPECT_EQ(address->device, 31);
  EXPECT_EQ(address->function, 7);
  EXPECT_EQ(address->str(), "7870:00:1f.7");
  EXPECT_EQ(PciAddress::parse("10000:E1:00.0")->str(), "10000:e1:00.0");
}

TEST(PciAddress, RejectsMalformedText) {
  for (const char* bad : {"",
                          "00:00.0",
                          "7870:00:00.0\n",
                          "7870:00:20.0",
                          "7870:00:00.8",
                          "fffffffff:00:00.0",
                          "7870:0:00.0",
                          "7870:00:00",
                          "7870:00:00.0.0",
                          "78g0:00:00.0",
                          " 7870:00:00.0",
                          "-870:00:00.0"}) {
    const auto address = PciAddress::parse(bad);
    ASSERT_FALSE(address) << bad;
    EXPECT_EQ(address.error().code, Errc::invalid);
  }
}

TEST(VmbusId, IsLowerCaseWithoutBraces) {
  const auto id = VmbusId::parse("{F8615163-DF3E-46C5-913F-F2D2F965ED0E}");
  ASSERT_TRUE(id);
  EXPECT_EQ(id->str(), "f8615163-df3e-46c5-913f-f2d2f965ed0e");
}

TEST(VmbusId, RejectsMalformedText) {
  for (const char* bad : {"",
                          "{}",
                          "f8615163-df3e-46c5-913f-f2d2f965ed0",
                          "{f8615163-df3e-46c5-913f-f2d2f965ed0e",
                          "f8615163-df3e-46c5-913ff-2d2f965ed0e",
                          "g8615163-df3e-46c5-913f-f2d2f965ed0e"}) {
    EXPECT_FALSE(VmbusId::parse(bad)) << bad;
  }
}

TEST(MacAddress, ParsesItsOwnOutput) {
  const auto mac = MacAddress::parse("00:0D:3a:76:3b:d0");
  ASSERT_TRUE(mac);
  EXPECT_EQ(mac->str(), "00:0d:3a:76:3b:d0");
  EXPECT_FALSE(mac->is_multicast());
  EXPECT_FALSE(mac->is_zero());
  EXPECT_TRUE(MacAddress::parse("01:00:5e:00:00:01")->is_multicast());
  EXPECT_TRUE(MacAddress::parse("00:00:00:00:00:00")->is_zero());
}

TEST(MacAddress, RejectsMalformedText) {
  for (const char* bad : {"",
                          "00-0d-3a-76-3b-d0",
                          "00:0d:3a:76:3b",
                          "00:0d:3a:76:3b:d0:00",
                          "0:d:3a:76:3b:d0",
                          "00:0d:3a:76:3b:dg"}) {
    EXPECT_FALSE(MacAddress::parse(bad)) << bad;
  }
}

TEST(CpuList, IsSortedAndWithoutDuplicates) {
  const auto list = CpuList::parse("8,0-3,2");
  ASSERT_TRUE(list);
  EXPECT_THAT(list->cpus, ElementsAre(0, 1, 2, 3, 8));
  EXPECT_EQ(list->str(), "0-3,8");
  EXPECT_TRUE(CpuList::parse("")->cpus.empty());
}

TEST(CpuList, RejectsDescendingRangesAndMalformedText) {
  for (const char* bad : {"3-1", ",", "1,", "1-", "-1", "1-2-3", "a", "0-4294967295", "01"}) {
    EXPECT_FALSE(CpuList::parse(bad)) << bad;
  }
}

TEST(InterfaceName, AcceptsNamesAndAlternativeNames) {
  EXPECT_EQ(InterfaceName::parse("eth1")->str(), "eth1");
  EXPECT_TRUE(InterfaceName::parse("enP30832s1%d"));
  EXPECT_TRUE(InterfaceName::parse(std::string(127, 'a')));
}

TEST(InterfaceName, RejectsTextThatCouldBeAPathOrAnOption) {
  for (const std::string& bad : {std::string(),
                                 std::string("."),
                                 std::string(".."),
                                 std::string("a/b"),
                                 std::string("a b"),
                                 std::string("a:1"),
                                 std::string("-h"),
                                 std::string("a\n"),
                                 std::string("a\0b", 3),
                                 std::string(128, 'a')}) {
    EXPECT_FALSE(InterfaceName::parse(bad)) << bad;
  }
}

TEST(Release, IgnoresTheTextAfterTheNumbers) {
  EXPECT_EQ(Release::parse("6.8.0-1062-azure").value(), (Release{6, 8, 0}));
  EXPECT_EQ(Release::parse("22.11").value(), (Release{22, 11, 0}));
  EXPECT_EQ(Release::parse("v7").has_value(), false);
  EXPECT_LT(Release::parse("5.15.9").value(), Release::parse("6.2").value());
}

}  // namespace
}  // namespace manactl::ids_test
