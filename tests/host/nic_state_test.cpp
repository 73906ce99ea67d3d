// SPDX-License-Identifier: MIT

#include "host/nic_state.h"

#include <gtest/gtest.h>

#include "support/fixtures.h"

namespace manactl::host::nic_state_test {
namespace {

struct Expected {
  const char* fixture;
  std::size_t nic;
  const char* owner;
  const char* path;
  bool paired;
  const char* reason;  // why it is not free; "" if it is free
};

const Expected kExpected[] = {
    {"healthy-two-nics", 0, "kernel", "VF", true, "SSH session, default route and 2 more"},
    {"healthy-two-nics", 1, "kernel", "VF", true, ""},
    {"ssh-on-dpdk-nic", 1, "kernel", "VF", true, "SSH session"},
    {"vf-unpaired", 1, "kernel", "synthetic", false, "its VF is not paired"},
    {"vf-missing", 1, "kernel", "synthetic", false, "it has no VF"},
    {"mlx5-vm", 1, "kernel", "VF", true, "its VF is not MANA"},
    {"prepared-uio", 1, "uio", "user space", false, ""},
    {"unbound-vmbus", 1, "nobody", "none", false, "bound to no driver"},
    {"mana-direct", 1, "kernel", "MANA direct", false, ""},
    {"mana-ib-missing",
     1,
     "kernel",
     "VF",
     true,
     "mana_ib is missing from kernel 6.1.0-56-cloud-amd64"},
};

TEST(NicState, IsThatOfTheFixture) {
  for (const auto& one : kExpected) {
    const auto facts = facts_of(one.fixture);
    const auto& nic = facts.nics->at(one.nic);
    const auto availability = availability_of(nic, facts);
    EXPECT_EQ(word_of(kOwnerWords, owner_of(nic)), one.owner) << one.fixture;
    EXPECT_EQ(word_of(kTrafficPathWords, traffic_path_of(nic)), one.path) << one.fixture;
    EXPECT_EQ(is_paired(nic), one.paired) << one.fixture;
    EXPECT_EQ(availability.reason, one.reason) << one.fixture;
    EXPECT_EQ(availability.is_free, availability.reason.empty()) << one.fixture;
  }
}

TEST(NicState, HasAPathOnlyIfEnoughPacketsShowIt) {
  auto facts = facts_of("healthy-two-nics");
  auto& nic = facts.nics->at(1);
  const auto path_with = [&nic](const PathCounters& counters) {
    nic.counters = counters;
    return traffic_path_of(nic);
  };
  EXPECT_EQ(path_with({0, 0, 0, 0}), TrafficPath::unknown);
  EXPECT_EQ(path_with({0, 0, 500, 499}), TrafficPath::unknown);
  EXPECT_EQ(path_with({0, 0, 500, 500}), TrafficPath::synthetic);
  EXPECT_EQ(path_with({1, 0, 500, 500}), TrafficPath::mostly_synthetic);
  EXPECT_EQ(path_with({250, 250, 500, 500}), TrafficPath::vf);
  nic.vf->up = false;
  EXPECT_EQ(traffic_path_of(nic), TrafficPath::synthetic);
}

TEST(NicState, IsUnknownIfRoutesCouldNotBeRead) {
  auto facts = facts_of("healthy-two-nics");
  facts.carries_complete = fail(Errc::denied, "cannot read the routes");
  const auto availability = availability_of(facts.nics->at(1), facts);
  EXPECT_FALSE(availability.is_free);
  EXPECT_EQ(availability.reason, "cannot read the routes");
  EXPECT_EQ(availability_of(facts.nics->at(0), facts).is_free, false);
}

TEST(NicState, IsNotFreeBelowAnotherInterface) {
  auto facts = facts_of("healthy-two-nics");
  auto& nic = facts.nics->at(1);
  nic.uppers = {"vlan eth1.5 is stacked on it"};
  EXPECT_EQ(availability_of(nic, facts).is_free, false);
  EXPECT_EQ(availability_of(nic, facts).reason, "vlan eth1.5 is stacked on it");
  nic.uppers.emplace_back("it is a member of bond bond0");
  EXPECT_EQ(availability_of(nic, facts).reason, "vlan eth1.5 is stacked on it, and 1 more");
  EXPECT_TRUE(free_nics(facts).empty());
}

TEST(FreeNics, AreThoseThatPrepareBinds) {
  auto facts = facts_of("healthy-two-nics");
  ASSERT_EQ(free_nics(facts).size(), 1U);
  EXPECT_EQ(prepare_command(*free_nics(facts).front()), "manactl prepare eth1");
  const auto direct = facts_of("mana-direct");
  EXPECT_EQ(prepare_command(direct.nics->at(1)), "manactl prepare enP30833p0s0 --vf-only");
  EXPECT_TRUE(free_nics(facts_of("prepared-uio")).empty());
  facts.nics = fail(Errc::denied, "cannot list NICs");
  EXPECT_TRUE(free_nics(facts).empty());
}

}  // namespace
}  // namespace manactl::host::nic_state_test
