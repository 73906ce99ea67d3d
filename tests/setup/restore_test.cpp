// SPDX-License-Identifier: MIT

#include "setup/restore.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>

#include "setup/fake_vm.h"
#include "setup/sysfs.h"

namespace manactl::setup::restore_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
constexpr const char* kPool = "sys/devices/system/node/node0/hugepages/hugepages-2048kB";

void prepare_eth1(FakeVm& vm, std::uint64_t pages = 0) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  if (pages != 0) request.hugepages = HugepageRequest{pages, 0, 0, {}};
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
}

TEST(Restore, KeepsHugepagesThatSomethingElseChanged) {
  FakeVm vm;
  prepare_eth1(vm, 100);
  vm.state.pools[kPool] = 1000;
  vm.rebuild();
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 1000U);
  EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc") << "the other steps are reverted";
  EXPECT_EQ(vm.state.journal.size(), 1U);
  Request again;
  again.interface = *InterfaceName::parse("eth1");
  const auto prepared = prepare(again, vm.context());
  ASSERT_FALSE(prepared) << "eth1 is partially restored";
  EXPECT_EQ(prepared.error().code, Errc::busy);
  EXPECT_THAT(prepared.error().message, HasSubstr("manactl restore eth1"));
  RestoreRequest forced{"eth1"};
  forced.force = true;
  EXPECT_TRUE(restore(forced, vm.context())->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 64U);
}

// A kill before the step, after which another program reserves pages.
TEST(Restore, KeepsHugepagesOfAStepThatNeverBegan) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{100, 0, 0, {}};
  vm.fail_at(2, test::Fault::killed_before);  // after the journal is open
  EXPECT_THROW((void)prepare(request, vm.context()), test::Killed);
  vm.fail_at(0, test::Fault::none);
  vm.state.pools[kPool] += 40;
  vm.rebuild();
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 104U);
}

TEST(Restore, OfOneNicDoesNotCountPagesThatAnotherHasReleased) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth0");
  request.force_interface = "eth0";
  request.hugepages = HugepageRequest{50, 0, 0, {}};
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  request.interface = *InterfaceName::parse("eth1");
  request.force_interface = "eth1";  // the NIC of the session on eth0 is not known any more
  request.hugepages = HugepageRequest{100, 0, 0, {}};
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.state.channels[0].overridden = "vfio";
  vm.rebuild();
  EXPECT_FALSE(restore({"eth0"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 164U);
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 64U);
  vm.state.channels[0].overridden = kUio;
  vm.rebuild();
  const auto again = restore({"eth0"}, vm.context());
  EXPECT_TRUE(again->front().is_complete());
  EXPECT_EQ(vm.state.pools[kPool], 64U);
  EXPECT_EQ(vm.state.channels[0].driver, "hv_netvsc");
}

TEST(Restore, KeepsAnOverrideThatSomethingElseSet) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.channels[1].overridden = "vfio";
  vm.rebuild();
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_EQ(vm.state.channels[1].overridden, "vfio");
}

TEST(Restore, KeepsAnMtuThatSomethingElseSet) {
  FakeVm vm;
  const auto before = vm.dump();
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.vf_only = true;
  request.mtu = 4000;
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.state.links.at(4).mtu = 3000;
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_EQ(vm.link("eth1")->mtu, 3000U);
  RestoreRequest forced{"eth1"};
  forced.force = true;
  const auto again = restore(forced, vm.context());
  ASSERT_TRUE(again && again->size() == 1);
  EXPECT_TRUE(again->front().is_complete());
  EXPECT_EQ(vm.dump(), before);
}

os::Route over_eth1(std::string destination, std::string gateway) {
  os::Route route;
  route.destination = std::move(destination);
  route.gateway = std::move(gateway);
  route.outputs = {4};
  route.table = 254;
  route.protocol = 4;
  return route;
}

TEST(Restore, AddsTheRouteToAGatewayFirst) {
  FakeVm vm;
  vm.state.routes.push_back(over_eth1("203.0.113.0/24", "198.51.100.1"));
  vm.state.routes.push_back(over_eth1("198.51.100.0/24", ""));
  prepare_eth1(vm);
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm.state.routes.size(), FakeVm().state.routes.size() + 2);
}

TEST(Restore, AcceptsARouteThatSomethingElseAdded) {
  FakeVm vm;
  // A network manager adds the route before restore does, with another protocol.
  auto added = *std::ranges::find(vm.state.routes, "192.0.2.0/24", &os::Route::destination);
  added.protocol = 16;
  prepare_eth1(vm);
  vm.after = [&](const std::string& what) {
    if (what != "ip eth1 up") return;
    added.outputs = {vm.link("eth1")->index};
    vm.state.routes.push_back(added);
  };
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().is_complete());
}

TEST(Restore, ReportsARouteThatLeadsToAnotherInterface) {
  FakeVm vm;
  auto taken = *std::ranges::find(vm.state.routes, "192.0.2.0/24", &os::Route::destination);
  taken.outputs = {vm.link("eth0")->index};
  prepare_eth1(vm);
  vm.state.routes.push_back(taken);
  vm.rebuild();
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_THAT(vm.state.journal, ::testing::SizeIs(1));
  std::erase_if(vm.state.routes, [&](const os::Route& route) {
    return route.destination == taken.destination && route.outputs == taken.outputs;
  });
  vm.rebuild();
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
}

TEST(Restore, RenamesTheNewInterface) {
  FakeVm vm;
  const auto before = vm.dump();
  prepare_eth1(vm);
  vm.udev_renames = false;
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_NE(vm.link("eth1"), nullptr);
  EXPECT_EQ(vm.link("eth9"), nullptr);
}

TEST(Restore, IsIncompleteWhenTheVfDoesNotJoin) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.vf_joins = false;
  const auto restored = restore({"enP30832p0s0d1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
}

TEST(Restore, OnlyClosesTheEntryAfterAReboot) {
  FakeVm vm;
  const auto fresh = vm.state;
  prepare_eth1(vm, 100);
  auto journal = vm.state.journal;
  vm.state = fresh;
  vm.state.journal = journal;
  vm.boot_id = "11111111-2222-3333-4444-555555555555";
  vm.rebuild();
  const auto before = vm.dump();
  const auto restored = restore({"", true}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().earlier_boot);
  EXPECT_EQ(vm.dump(), before);
  EXPECT_TRUE(vm.state.journal.empty());
}

TEST(Restore, RebindsAChannelWithoutAJournalEntry) {
  for (const bool by_id : {false, true}) {
    FakeVm vm;
    prepare_eth1(vm);
    vm.state.journal.clear();
    if (by_id) {
      vm.state.channels[1].overridden.clear();
      vm.state.ids.insert("f8615163-df3e-46c5-913f-f2d2f965ed0e");
    }
    vm.rebuild();
    const auto restored = restore({kEth1}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1);
    EXPECT_FALSE(restored->front().journaled);
    EXPECT_TRUE(restored->front().is_complete());
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
    EXPECT_EQ(vm.state.channels[1].overridden, "");
    EXPECT_TRUE(vm.state.ids.empty());
  }
}

TEST(Restore, SuggestsTheChannelWhenTheNameIsUnknown) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.journal.clear();
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().code, Errc::not_found);
  EXPECT_THAT(restored.error().message, HasSubstr(kEth1));
}

TEST(Restore, RefusesANicThatAProcessUses) {
  for (const bool journaled : {true, false}) {
    FakeVm vm;
    prepare_eth1(vm);
    if (!journaled) vm.state.journal.clear();
    vm.processes = {{4000, "sshd", "/dev/uio1"}, {4711, "dpdk-testpmd", "/dev/uio0"}};
    vm.rebuild();
    const auto before = vm.dump();
    const auto refused = restore({kEth1}, vm.context());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::busy);
    EXPECT_THAT(refused.error().message, HasSubstr("process 4711 (dpdk-testpmd)"));
    EXPECT_EQ(refused.error().message.find("4000"), std::string::npos);
    EXPECT_EQ(vm.dump(), before);
    RestoreRequest forced{kEth1};
    forced.force = true;
    EXPECT_TRUE(restore(forced, vm.context())->front().is_complete());
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
  }
}

TEST(Restore, OfAllChangesNothingWhileOneNicIsInUse) {
  FakeVm vm;
  Request pages;
  pages.hugepages = HugepageRequest{10, 0, 0, {}};
  ASSERT_EQ(prepare(pages, vm.context())->outcome, PrepareOutcome::done);
  prepare_eth1(vm);
  vm.processes = {{4711, "vpp", "/dev/uio0"}};
  vm.rebuild();
  const auto before = vm.dump();
  EXPECT_FALSE(restore({"", true}, vm.context()));
  EXPECT_EQ(vm.dump(), before);
  EXPECT_EQ(restore({"hugepages-1"}, vm.context())->size(), 1U) << "the pages are not in use";
}

TEST(Restore, RecoversOnlyUnfinishedRuns) {
  FakeVm vm;
  prepare_eth1(vm);
  RestoreRequest request;
  request.unfinished = true;
  EXPECT_TRUE(restore(request, vm.context())->empty());
  EXPECT_EQ(vm.state.channels[1].driver, "uio_hv_generic");
}

}  // namespace
}  // namespace manactl::setup::restore_test
