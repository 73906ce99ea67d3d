// SPDX-License-Identifier: MIT

#include "diag/evidence.h"
#include "diag/vm.h"

namespace manactl::diag::observations_test {
namespace {

using manactl::test::direct_vm;
using manactl::test::healthy_vm;
using manactl::test::nic;
using manactl::test::prepared_vm;
using testing::ElementsAre;
using testing::IsEmpty;

Observation observe(const host::Facts& facts, std::string_view id) {
  for (auto& observation : observations_of(facts)) {
    if (observation.id == id) return observation;
  }
  return {};
}

TEST(PortBusy, NamesTheSpareNicAndPreparesIt) {
  const auto observation = observe(healthy_vm(), "port-busy");
  EXPECT_EQ(observation.text, "VF enP30832s1d1 of eth1 is up: the kernel holds the port");
  EXPECT_THAT(observation.commands, ElementsAre("manactl prepare eth1"));
}

TEST(PortBusy, SetsOnlyTheVfOfANicInUserSpaceDown) {
  host::Facts facts = prepared_vm();
  nic(facts, 1).vf->up = true;
  EXPECT_THAT(observe(facts, "port-busy").commands,
              ElementsAre("ip link set dev enP30832s1d1 down"));
}

TEST(PortBusy, DoesNotApplyIfOnlyTheAdministratorsNicIsUp) {
  EXPECT_EQ(observe(prepared_vm(), "port-busy").text, "");
  host::Facts facts = healthy_vm();
  nic(facts, 1).vf->up = false;
  EXPECT_EQ(observe(facts, "port-busy").text, "");
}

TEST(PortBusy, SuggestsNoCommandForANicThatCarriesARoute) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).carries = {"default route"};
  const auto observation = observe(facts, "port-busy");
  EXPECT_EQ(
      observation.text,
      "VF enP30832s1 of eth0 is up; VF enP30832s1d1 of eth1 is up: the kernel holds the ports");
  EXPECT_THAT(observation.commands, IsEmpty());
}

TEST(PortBusy, SuggestsNoCommandIfTheUserOfTheNicIsUnknown) {
  host::Facts facts = healthy_vm();
  facts.carries_complete = manactl::test::unreadable();
  EXPECT_NE(observe(facts, "port-busy").text, "");
  EXPECT_THAT(observe(facts, "port-busy").commands, IsEmpty());
}

TEST(PortBusy, AppliesToManaDirectButNotToMlx5) {
  EXPECT_EQ(observe(direct_vm(), "port-busy").text, "enP30832s1 is up: the kernel holds the port");
  host::Facts facts = healthy_vm();
  for (auto& one : *facts.nics) one.vf->driver = "mlx5_core";
  EXPECT_EQ(observe(facts, "port-busy").text, "");
  facts.nics = manactl::test::unreadable();
  EXPECT_EQ(observe(facts, "port-busy").text, "");
}

TEST(TwoRdmaDevices, AreNamed) {
  host::Facts facts = healthy_vm();
  EXPECT_EQ(observe(facts, "two-rdma-devices").text, "");
  facts.functions->at(0).rdma_devices = {"mana_0", "manae_0"};
  EXPECT_EQ(observe(facts, "two-rdma-devices").text, "7870:00:00.0 has mana_0 and manae_0");
}

TEST(UserSpaceNic, NamesTheNicThatIsBoundToUioHvGeneric) {
  EXPECT_EQ(observe(healthy_vm(), "user-space-nic").text, "");
  const auto vm = prepared_vm();
  const auto prepared = std::ranges::find_if(*vm.nics, &host::Nic::is_prepared);
  EXPECT_EQ(observe(vm, "user-space-nic").text, prepared->name() + " is bound to uio_hv_generic");
  host::Facts facts = prepared_vm();
  facts.nics = manactl::test::unreadable();
  EXPECT_EQ(observe(facts, "user-space-nic").text, "");
}

TEST(Hugepages, AreEitherNotReservedOrAllInUseOrNeither) {
  host::Facts facts = healthy_vm();
  const auto observed = [&facts] {
    const auto reserved = observe(facts, "no-hugepages-reserved").text;
    const auto used = observe(facts, "all-hugepages-used").text;
    EXPECT_EQ(observe(facts, "no-free-hugepages").text, reserved + used);
    return reserved + "|" + used;
  };
  EXPECT_EQ(observed(), "|");
  facts.memory.pools = std::vector<host::HugepagePool>{{0, 2048, 8, 0}, {1, 2048, 0, 0}};
  EXPECT_EQ(observed(), "|all 8 hugepages are in use");
  facts.memory.pools->at(1) = {1, 2048, 4, 1};
  EXPECT_EQ(observed(), "|");
  facts.memory.pools = std::vector<host::HugepagePool>{{0, 2048, 0, 0}};
  EXPECT_EQ(observed(), "no hugepages are reserved|");
  facts.memory.pools = manactl::test::unreadable();
  EXPECT_EQ(observed(), "|");
}

TEST(HugetlbfsUnmounted, AppliesOnlyIfTheMountsAreKnown) {
  host::Facts facts = healthy_vm();
  EXPECT_EQ(observe(facts, "hugetlbfs-unmounted").text, "");
  facts.memory.mounts->clear();
  EXPECT_NE(observe(facts, "hugetlbfs-unmounted").text, "");
  facts.memory.mounts = manactl::test::unreadable();
  EXPECT_EQ(observe(facts, "hugetlbfs-unmounted").text, "");
}

}  // namespace
}  // namespace manactl::diag::observations_test
