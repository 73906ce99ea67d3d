// SPDX-License-Identifier: MIT

#include "diag/witness.h"

#include "diag/vm.h"

namespace manactl::diag {
namespace {

using manactl::test::direct_vm;
using manactl::test::healthy_vm;
using manactl::test::nic;
using manactl::test::prepared_vm;
using testing::ElementsAre;
using testing::IsEmpty;

Witness ask(const host::Facts& facts, std::string_view id) {
  for (auto& witness : witnesses_of(facts)) {
    if (witness.id == id) return witness;
  }
  return {};
}

TEST(PortBusy, NamesTheLinksOfTheNicThatNothingElseNeeds) {
  const auto witness = ask(healthy_vm(), "port-busy");
  EXPECT_EQ(witness.says, "VF enP30832s1d1 of eth1 is up: the kernel holds the port");
  EXPECT_THAT(witness.commands,
              ElementsAre("ip link set dev eth1 down", "ip link set dev enP30832s1d1 down"));
}

TEST(PortBusy, LeavesALinkAloneThatIsDown) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).synthetic->up = false;
  EXPECT_THAT(ask(facts, "port-busy").commands, ElementsAre("ip link set dev enP30832s1d1 down"));
}

TEST(PortBusy, SaysNothingWhenOnlyTheAdministratorsNicIsUp) {
  EXPECT_EQ(ask(prepared_vm(), "port-busy").says, "");
  host::Facts facts = healthy_vm();
  nic(facts, 1).vf->up = false;
  EXPECT_EQ(ask(facts, "port-busy").says, "");
}

TEST(PortBusy, OffersNoCommandForANicThatCarriesSomething) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).carries = {"default route"};
  const auto witness = ask(facts, "port-busy");
  EXPECT_EQ(
      witness.says,
      "VF enP30832s1 of eth0 is up; VF enP30832s1d1 of eth1 is up: the kernel holds the ports");
  EXPECT_THAT(witness.commands, IsEmpty());
}

TEST(PortBusy, OffersNoCommandWhenItIsNotKnownWhoUsesTheNic) {
  host::Facts facts = healthy_vm();
  facts.carriers = manactl::test::unreadable();
  EXPECT_NE(ask(facts, "port-busy").says, "");
  EXPECT_THAT(ask(facts, "port-busy").commands, IsEmpty());
}

TEST(PortBusy, KnowsManaDirectAndLeavesMlx5Alone) {
  EXPECT_EQ(ask(direct_vm(), "port-busy").says, "enP30832s1 is up: the kernel holds the port");
  host::Facts facts = healthy_vm();
  for (auto& one : *facts.nics) one.vf->driver = "mlx5_core";
  EXPECT_EQ(ask(facts, "port-busy").says, "");
  facts.nics = manactl::test::unreadable();
  EXPECT_EQ(ask(facts, "port-busy").says, "");
}

TEST(TwoRdmaDevices, AreNamed) {
  host::Facts facts = healthy_vm();
  EXPECT_EQ(ask(facts, "two-rdma-devices").says, "");
  facts.functions->at(0).rdma_devices = {"mana_0", "manae_0"};
  EXPECT_EQ(ask(facts, "two-rdma-devices").says, "7870:00:00.0 has mana_0 and manae_0");
}

TEST(HugetlbfsUnmounted, IsSaidOnlyWhenItIsKnown) {
  host::Facts facts = healthy_vm();
  EXPECT_EQ(ask(facts, "hugetlbfs-unmounted").says, "");
  facts.memory.mounts->clear();
  EXPECT_NE(ask(facts, "hugetlbfs-unmounted").says, "");
  facts.memory.mounts = manactl::test::unreadable();
  EXPECT_EQ(ask(facts, "hugetlbfs-unmounted").says, "");
}

}  // namespace
}  // namespace manactl::diag
