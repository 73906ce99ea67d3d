// SPDX-License-Identifier: MIT
//
// Tests that commands accept the PCI address and the MAC address of a NIC.

#include "cli/nic_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/on_machine.h"

namespace manactl::test::nic_name_test {
namespace {

using cli::NicName;
using testing::HasSubstr;
using testing::Not;

TEST(NicName, IsAnInterfaceOrACanonicalAddress) {
  EXPECT_TRUE(NicName::parse("eth1")->is_interface());
  EXPECT_EQ(NicName::parse("00:0D:3A:76:3B:D1")->str(), "00:0d:3a:76:3b:d1");
  EXPECT_EQ(NicName::parse("7870:00:00.0")->str(), "7870:00:00.0");
  EXPECT_FALSE(NicName::parse("7870:00:00.0")->is_interface());
  for (const auto* bad : {"", "a b", "7870:00:00", "7870:00:00.8", "00:0d:3a:76:3b", "eth0:1"}) {
    EXPECT_FALSE(NicName::parse(bad)) << bad;
  }
}

TEST(NicName, SelectsTheNicInEveryCommand) {
  const char* mac = "00:0D:3A:76:3B:D1";
  const std::vector<std::vector<std::string>> commands = {
      {"status"}, {"check", "-v"}, {"args"}, {"prepare", "--dry-run"}};
  for (auto by_name : commands) {
    auto by_address = by_name;
    by_name.emplace_back("eth1");
    by_address.emplace_back(mac);
    const auto expected = manactl_on("healthy-two-nics", by_name);
    const auto outcome = manactl_on("healthy-two-nics", by_address);
    EXPECT_EQ(expected.code, 0) << expected.err;
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, expected.out);
    EXPECT_THAT(outcome.out, Not(HasSubstr("eth0 has VF")));
  }
}

TEST(NicName, OfAPciFunctionWithSeveralNicsIsRefused) {
  const auto outcome = manactl_on("healthy-two-nics", {"prepare", "7870:00:00.0", "--dry-run"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_THAT(
      outcome.err,
      HasSubstr("2 NICs have the address '7870:00:00.0': specify an interface, such as eth1"));
}

TEST(NicName, AcceptsMacAddressesWithDashes) {
  EXPECT_EQ(manactl_on("healthy-two-nics", {"status", "00-0D-3A-76-3B-D1"}).out,
            manactl_on("healthy-two-nics", {"status", "eth1"}).out);
}

TEST(NicName, IsSuggestedRegardlessOfCase) {
  EXPECT_THAT(manactl_on("healthy-two-nics", {"status", "ETH1"}).err,
              HasSubstr("did you mean 'eth1'?"));
  const auto outcome = manactl_on("not-azure", {"status", "eth1"});
  EXPECT_THAT(outcome.err, HasSubstr("interface 'eth1' does not exist"));
  EXPECT_THAT(outcome.err, Not(HasSubstr("did you mean"))) << "no NIC of Azure has a similar name";
}

TEST(NicName, OfAPciFunctionSelectsItsOnlyNic) {
  const auto by_name = manactl_on("mana-direct", {"status", "enP30833p0s0"});
  const auto outcome = manactl_on("mana-direct", {"status", "7871:00:00.0"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, by_name.out);
}

TEST(NicName, OfNoNicNamesTheAddress) {
  for (const auto* address : {"7871:00:00.0", "00:0d:3a:76:3b:ff"}) {
    const auto outcome = manactl_on("healthy-two-nics", {"check", address});
    EXPECT_EQ(outcome.code, 3);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("no Azure NIC has the address '") + address));
  }
}

TEST(NicName, OfTheAdministratorsInterfaceIsNotSuggested) {
  const auto outcome = manactl_on("ssh-on-dpdk-nic", {"prepare", "eht1", "--dry-run"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, Not(HasSubstr("did you mean 'eth1'")));
}

}  // namespace
}  // namespace manactl::test::nic_name_test
