// SPDX-License-Identifier: MIT

#include "setup/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if.h>

#include <cerrno>
#include <csignal>

#include "setup/fake_vm.h"
#include "setup/lock.h"
#include "setup/restore.h"

namespace manactl::setup::prepare_test {
namespace {

using test::FakeVm;
using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kPool = "sys/devices/system/node/node0/hugepages/hugepages-2048kB";

Request request_for(const std::string& interface) {
  Request request;
  request.interface = *InterfaceName::parse(interface);
  return request;
}

Request pages(std::uint64_t count) {
  Request request;
  request.hugepages = HugepageRequest{count, 0, 0, {}};
  return request;
}

Error error_of_refused(FakeVm& vm, const Request& request) {
  const auto before = vm.dump();
  const auto result = prepare(request, vm.context());
  EXPECT_EQ(vm.dump(), before);
  EXPECT_TRUE(vm.state.journal.empty());
  return result ? Error{Errc::io, 0, "not refused"} : result.error();
}

// hv_netvsc keeps the MTU of the host, although it has set that of the VF.
TEST(Prepare, RollsBackTheMtuOfTheVfIfTheHostDoesNotAllowIt) {
  FakeVm vm;
  auto request = request_for("eth1");
  request.mtu = 4000;
  vm.after = [&](const std::string& change) {
    if (change == "ip eth1 mtu 4000") vm.state.links[4].mtu = 1500;
  };
  const auto result = prepare(request, vm.context());
  ASSERT_TRUE(result && result->outcome == PrepareOutcome::rolled_back);
  EXPECT_EQ(vm.link("eth1")->mtu, 1500U);
  EXPECT_EQ(vm.link("enP30832p0s0d1")->mtu, 1500U);
}

TEST(Prepare, LeavesTheStateOfTheManaHowTo) {
  FakeVm vm;
  auto request = request_for("eth1");
  request.hugepages = HugepageRequest{64, 0, 0, {}};
  const auto result = prepare(request, vm.context());
  ASSERT_TRUE(result && result->outcome == PrepareOutcome::done);
  EXPECT_EQ(vm.link("eth1"), nullptr);
  const auto* vf = vm.link("enP30832p0s0d1");
  ASSERT_NE(vf, nullptr);
  EXPECT_FALSE(vf->is_up());
  EXPECT_NE(vf->flags & IFF_SLAVE, 0U);
  EXPECT_FALSE(vf->master);
  EXPECT_EQ(vm.state.channels[1].driver, "uio_hv_generic");
  EXPECT_EQ(vm.state.channels[1].uio, "uio0");
  EXPECT_EQ(vm.state.channels[0].driver, "hv_netvsc");
  EXPECT_EQ(vm.state.pools.at(kPool), 128U);
  EXPECT_EQ(result->entry.nic.mac->str(), "00:0d:3a:76:3b:d1");
  EXPECT_EQ(result->entry.nic.pci->str(), "7870:00:00.0");
}

TEST(Prepare, SetsTheSyntheticInterfaceDownFirst) {
  // While the synthetic interface is up, hv_netvsc would set the VF up again.
  FakeVm vm;
  ASSERT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done);
  std::vector<std::string> downs;
  for (const auto& change : vm.log()) {
    if (change.ends_with(" down")) downs.push_back(change);
  }
  ASSERT_FALSE(downs.empty());
  EXPECT_EQ(downs.front(), "ip eth1 down");
}

TEST(Prepare, AndRestoreWorkTenTimesInARow) {
  FakeVm vm;
  const auto before = vm.dump();
  for (int i = 0; i < 10; ++i) {
    const auto prepared = prepare(request_for("eth1"), vm.context());
    ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done) << i;
    const auto restored = restore({"eth1"}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1 && restored->front().is_complete()) << i;
    EXPECT_EQ(vm.dump(), before) << i;
  }
}

TEST(Prepare, OfTwoNicsIsRevertedInEitherOrder) {
  for (const auto method : {Method::automatic, Method::new_id}) {
    for (const bool first : {true, false}) {
      FakeVm vm(1);
      const auto before = vm.dump();
      for (const char* name : {"eth1", "eth2"}) {
        auto request = request_for(name);
        request.hugepages = HugepageRequest{100, 0, 0, {}};
        request.method = method;
        ASSERT_TRUE(prepare(request, vm.context())->outcome == PrepareOutcome::done) << name;
      }
      for (const char* name : {first ? "eth1" : "eth2", first ? "eth2" : "eth1"}) {
        const auto restored = restore({name}, vm.context());
        ASSERT_TRUE(restored && restored->size() == 1) << name;
        EXPECT_TRUE(restored->front().is_complete()) << name;
        const bool last = (name == std::string("eth2")) == first;
        EXPECT_EQ(vm.state.ids.empty(), last || method == Method::automatic)
            << "only the last NIC removes the id";
      }
      EXPECT_EQ(vm.dump(), before);
    }
  }
}

TEST(Prepare, ReservesHugepagesAlone) {
  FakeVm vm;
  const auto before = vm.dump();
  ASSERT_EQ(prepare(pages(10), vm.context())->outcome, PrepareOutcome::done);
  ASSERT_EQ(prepare(pages(20), vm.context())->outcome, PrepareOutcome::done);
  EXPECT_EQ(vm.state.pools.at(kPool), 94U);
  EXPECT_EQ(restore({"", true}, vm.context())->size(), 2U);
  EXPECT_EQ(vm.dump(), before);
}

TEST(Prepare, RollsBackWhenTheKernelGrantsFewerHugepages) {
  for (const auto& [most, granted] : {std::pair{64, "0 of 10"}, {70, "6 of 10"}, {73, "9 of 10"}}) {
    FakeVm vm;
    vm.max_pages = static_cast<std::uint64_t>(most);
    const auto before = vm.dump();
    const auto result = prepare(pages(10), vm.context());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back) << granted;
    EXPECT_THAT(result->cause.message, HasSubstr(granted));
    EXPECT_EQ(vm.dump(), before) << granted;
    EXPECT_TRUE(vm.state.journal.empty()) << granted;
  }
  FakeVm vm;
  vm.max_pages = 74;
  EXPECT_EQ(prepare(pages(10), vm.context())->outcome, PrepareOutcome::done);
}

TEST(Prepare, KeepsTheHugepagesThatTheKernelGrantsByDefault) {
  FakeVm vm;  // 64 pages are reserved and free
  vm.max_pages = 70;
  const auto before = vm.dump();
  auto request = request_for("eth1");
  request.hugepages = HugepageRequest{};
  request.hugepages->is_default = true;
  const auto result = prepare(request, vm.context());
  ASSERT_TRUE(result);
  ASSERT_EQ(result->outcome, PrepareOutcome::done) << result->cause.message;
  EXPECT_EQ(vm.state.pools.at(kPool), 70U);
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.dump(), before);
}

TEST(Prepare, SetsTheVfDownAgainIfSomethingSetsItUp) {
  FakeVm vm;
  int times = 0;
  vm.after = [&](const std::string& what) {
    if (what.find("uio_hv_generic/bind") == std::string::npos || times++ > 0) return;
    for (auto& [index, link] : vm.state.links) {
      if (link.name == "enP30832p0s0d1") link.flags |= IFF_UP;
    }
  };
  ASSERT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done);
  EXPECT_EQ(times, 1);
  EXPECT_FALSE(vm.link("enP30832p0s0d1")->is_up());
}

TEST(Prepare, RollsBackWhenAModuleIsMissing) {
  FakeVm vm;
  vm.refused["modprobe uio_hv_generic"] = ENOENT;
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back);
  EXPECT_THAT(result->cause.message, HasSubstr("uio_hv_generic"));
}

TEST(Prepare, StopsAtASignalAndRollsBack) {
  FakeVm vm;
  const auto before = vm.dump();
  auto context = vm.context();
  int polls = 0;
  context.poll_signal = [&polls] { return ++polls == 9 ? SIGTERM : 0; };
  const auto result = prepare(request_for("eth1"), context);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->signal, SIGTERM);
  EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back);
  EXPECT_EQ(vm.dump(), before);
}

TEST(Prepare, ReportsANicThatIsAlreadyPrepared) {
  FakeVm vm;
  ASSERT_TRUE(prepare(request_for("eth1"), vm.context()));
  const auto again = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->outcome, PrepareOutcome::already_prepared);
  EXPECT_EQ(again->entry.nic.mac->str(), "00:0d:3a:76:3b:d1");
}

TEST(Prepare, IsRefusedUntilAnUnfinishedRunIsRestored) {
  FakeVm vm;
  vm.fail_at(12, test::Fault::killed_after);
  EXPECT_THROW((void)prepare(request_for("eth1"), vm.context()), test::Killed);
  vm.fail_at(0, test::Fault::none);
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Errc::busy);
  EXPECT_THAT(result.error().message, HasSubstr("manactl restore eth1"));
}

TEST(Prepare, IsRefusedWhileTheLockIsHeld) {
  FakeVm vm;
  const auto context = vm.context("prepare eth1");
  const auto held = take_lock(context.lock_file, "prepare eth0");
  ASSERT_TRUE(held);
  const auto error = error_of_refused(vm, request_for("eth1"));
  EXPECT_EQ(error.code, Errc::busy);
  EXPECT_THAT(error.message, HasSubstr("manactl prepare eth0"));
}

TEST(Prepare, RefusesTheInterfaceOfTheSshSession) {
  FakeVm vm;
  const auto error = error_of_refused(vm, request_for("eth0"));
  EXPECT_EQ(error.code, Errc::denied);
  EXPECT_THAT(error.message, HasSubstr("SSH session"));
  EXPECT_THAT(error.message, HasSubstr("default route"));
  auto forced = request_for("eth0");
  forced.force_interface = "eth";
  EXPECT_EQ(error_of_refused(vm, forced).code, Errc::invalid);
  forced.force_interface = "eth0";
  EXPECT_EQ(prepare(forced, vm.context())->outcome, PrepareOutcome::done);
}

TEST(Prepare, RefusesToForceAnotherInterface) {
  FakeVm vm;
  auto request = request_for("eth1");
  request.force_interface = "eth1 --persist";  // --persist writes it to a unit
  EXPECT_EQ(error_of_refused(vm, request).message,
            "--force-interface names 'eth1 --persist', not 'eth1'");
}

TEST(Prepare, SuggestsTheSyntheticInterfaceOfAVf) {
  FakeVm vm;
  const auto error = error_of_refused(vm, request_for("enP30832p0s0d1"));
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_THAT(error.message, HasSubstr("manactl prepare eth1"));
}

TEST(Prepare, SuggestsTheNearestInterface) {
  FakeVm vm;
  const auto error = error_of_refused(vm, request_for("ethh1"));
  EXPECT_EQ(error.code, Errc::not_found);
  EXPECT_THAT(error.message, HasSubstr("'eth1'"));
}

TEST(Prepare, RefusesANicWithoutVf) {
  FakeVm vm;
  vm.state.links.erase(5);
  vm.rebuild();
  EXPECT_EQ(error_of_refused(vm, request_for("eth1")).code, Errc::unsupported);
}

TEST(Prepare, RefusesAnInterfaceWithUpperInterfaces) {
  FakeVm vm;
  os::Link vlan;
  vlan.index = 50;
  vlan.name = "eth1.7";
  vlan.kind = "vlan";
  vlan.lower = 4;
  vm.state.links[50] = vlan;
  EXPECT_THAT(error_of_refused(vm, request_for("eth1")).message, HasSubstr("vlan eth1.7"));
  vm.state.links[50].lower.reset();
  vm.state.links[50].kind = "bond";
  vm.state.links[4].master = 50;
  const auto error = error_of_refused(vm, request_for("eth1"));
  EXPECT_EQ(error.code, Errc::denied);
  EXPECT_THAT(error.message, HasSubstr("member of bond"));
}

TEST(Prepare, RefusesNewIdWhileAnotherChannelIsUnbound) {
  FakeVm vm(1);
  vm.state.channels[2].driver.clear();
  vm.state.links.erase(6);
  vm.rebuild();
  auto request = request_for("eth1");
  request.method = Method::new_id;
  EXPECT_EQ(error_of_refused(vm, request).code, Errc::unsupported);
}

TEST(Prepare, WithVfOnlyKeepsTheChannelBound) {
  FakeVm vm;
  const auto before = vm.dump();
  auto request = request_for("eth1");
  request.vf_only = true;
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
  EXPECT_FALSE(vm.link("eth1")->is_up());
  EXPECT_FALSE(vm.link("enP30832p0s0d1")->is_up());
  EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
  EXPECT_EQ(vm.dump(), before);
}

TEST(Prepare, CostGrowsLinearlyWithNicsAndRoutes) {
  const auto cost = [](unsigned nics, unsigned routes) {
    FakeVm vm(nics);
    for (unsigned i = 0; i < routes; ++i) {
      os::Route route;
      route.destination = fmt::format("172.16.{}.{}/32", i / 256, i % 256);
      route.outputs = {4};
      route.table = 254;
      route.protocol = 4;
      vm.state.routes.push_back(route);
    }
    const auto before = vm.dump();
    vm.reads = 0;
    EXPECT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done);
    EXPECT_TRUE(restore({"eth1"}, vm.context())->front().is_complete());
    const auto reads = vm.reads;
    EXPECT_EQ(vm.dump(), before);
    return reads;
  };
  EXPECT_LT(cost(126, 0), 4 * cost(62, 0));
  EXPECT_LT(cost(0, 2000), 3 * cost(0, 1000));
}

}  // namespace
}  // namespace manactl::setup::prepare_test
