// SPDX-License-Identifier: MIT

#include "setup/takeover.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/if.h>

#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::takeover_test {
namespace {

using std::chrono::milliseconds;
using test::FakeVm;

constexpr const char* kVf = "enP30832p0s0d1";

Request for_eth1() {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  return request;
}

// The VF of eth1 leaves and returns. It has joined but is not taken over yet.
void rejoin(FakeVm& vm) {
  vm.unplug_vf(kVf);
  vm.plug_vf(kVf);
  vm.context().clock.pause(milliseconds(50));
  ASSERT_TRUE(vm.link(kVf)->master);
  ASSERT_FALSE(vm.link(kVf)->is_up());
}

milliseconds time_of_wait(FakeVm& vm, bool expected) {
  const auto start = vm.context().clock.now();
  EXPECT_EQ(wait_for_takeover(vm.context(), {kVf}), expected);
  return vm.context().clock.now() - start;
}

void prepare_and_restore(FakeVm& vm) {
  const auto prepared = prepare(for_eth1(), vm.context());
  ASSERT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  EXPECT_FALSE(vm.link(kVf)->is_up());
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1 && restored->front().is_complete());
  vm.context().clock.pause(milliseconds(1000));
}

TEST(Takeover, IsAwaitedIfTheVfHasJustJoined) {
  FakeVm vm;
  rejoin(vm);
  EXPECT_LE(time_of_wait(vm, true), milliseconds(100));
  EXPECT_TRUE(vm.link(kVf)->is_up());
}

TEST(Takeover, IsNotAwaitedIfNoneIsDue) {
  FakeVm vm;
  EXPECT_EQ(time_of_wait(vm, false), milliseconds(0)) << "the VF is up";
  vm.state.links.at(4).flags &= ~unsigned{IFF_UP};
  vm.state.links.at(5).flags &= ~unsigned{IFF_UP};
  EXPECT_EQ(time_of_wait(vm, false), milliseconds(0)) << "the synthetic interface is down";
  vm.state.links.at(5).master.reset();
  EXPECT_EQ(time_of_wait(vm, false), milliseconds(0)) << "the VF has not joined";
  vm.unplug_vf(kVf);
  EXPECT_EQ(time_of_wait(vm, false), milliseconds(0)) << "there is no VF";
}

TEST(Takeover, IsNotAwaitedIfTheInterfacesCannotBeRead) {
  FakeVm vm;
  rejoin(vm);
  vm.unreadable["links"] = 0;
  EXPECT_EQ(time_of_wait(vm, false), milliseconds(0));
}

TEST(Takeover, IsAwaitedForTwoSecondsIfSomethingElseSetTheVfDown) {
  FakeVm vm;
  vm.state.links.at(5).flags &= ~unsigned{IFF_UP};
  EXPECT_EQ(time_of_wait(vm, true), milliseconds(2000));
}

// Renames the VF of eth1 at each pause, as udev does.
class RenamingClock final : public Clock {
 public:
  explicit RenamingClock(FakeVm& vm) : vm_(vm) {}

  milliseconds now() const override { return vm_.context().clock.now(); }

  void pause(milliseconds time) override {
    vm_.state.links.rbegin()->second.name = kVf;
    vm_.context().clock.pause(time);
  }

 private:
  FakeVm& vm_;
};

TEST(Takeover, OfARenamedVfIsAwaited) {
  FakeVm vm;
  rejoin(vm);
  vm.state.links.rbegin()->second.name = "eth2";
  RenamingClock clock(vm);
  EXPECT_TRUE(wait_for_takeover({vm.context().system, clock}, {"eth2"}));
  EXPECT_TRUE(vm.link(kVf)->is_up());
}

// A network manager sets the interface up before restore does.
TEST(Takeover, DuringPrepareDoesNotLeaveTheVfDownAfterRestore) {
  FakeVm vm;
  rejoin(vm);
  vm.after = [&vm](const std::string& what) {
    if (!what.ends_with("hv_netvsc/bind")) return;
    for (auto& [index, link] : vm.state.links) {
      if (link.name == "eth1") link.flags |= IFF_UP;
    }
  };
  prepare_and_restore(vm);
  EXPECT_TRUE(vm.link(kVf)->is_up());
  EXPECT_TRUE(vm.link(kVf)->master);
}

TEST(Takeover, LeavesAVfDownThatWasDownBefore) {
  FakeVm vm;
  vm.state.links.at(5).flags &= ~unsigned{IFF_UP | IFF_RUNNING | IFF_LOWER_UP};
  vm.rebuild();
  const auto before = vm.dump();
  prepare_and_restore(vm);
  EXPECT_EQ(vm.dump(), before);
}

TEST(Takeover, DoesNotFailRestoreIfAnotherProgramKeepsTheVfUp) {
  FakeVm vm;
  vm.state.links.at(5).flags &= ~unsigned{IFF_UP | IFF_RUNNING | IFF_LOWER_UP};
  vm.rebuild();
  ASSERT_EQ(prepare(for_eth1(), vm.context())->outcome, PrepareOutcome::done);
  vm.after = [&vm](const std::string& what) {
    if (what == fmt::format("ip {} down", kVf)) vm.state.links.at(5).flags |= IFF_UP;
  };
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_TRUE(vm.state.journal.empty());
  EXPECT_TRUE(vm.link(kVf)->is_up());
}

}  // namespace
}  // namespace manactl::setup::takeover_test
