// SPDX-License-Identifier: MIT
//
// Tests that the host may remove a VF or a NIC, and add it again, after any change.

#include "setup/vanished_device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup::vanished_device_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;

constexpr const char* kVf = "enP30832p0s0d1";

Request request_for_eth1() {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{100, 0, 0, {}};
  request.mtu = 4000;
  return request;
}

unsigned changes_of_prepare() {
  FakeVm vm;
  EXPECT_TRUE(prepare(request_for_eth1(), vm.context()));
  return vm.changes();
}

// Prepares eth1, and calls `event` after change number `at`. Returns a description for failures.
std::string prepare_with_event(FakeVm& vm, unsigned at, const std::function<void()>& event) {
  std::string what;
  unsigned count = 0;
  vm.after = [&](const std::string& change) {
    if (++count != at) return;
    what = "after " + change;
    event();
  };
  const auto result = prepare(request_for_eth1(), vm.context());
  vm.after = nullptr;
  EXPECT_TRUE(result) << what;
  if (result && result->outcome == PrepareOutcome::done) return what;
  EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back) << what << ": " << result->cause.message;
  EXPECT_TRUE(vm.state.journal.empty()) << what;
  what += ", " + result->cause.message;
  return what;
}

// Returns the lines that contain none of `words`.
std::string without(const std::string& dump, const std::vector<std::string>& words) {
  std::string rest;
  for (const auto line : split(dump, '\n')) {
    bool drop = line.empty();
    for (const auto& word : words) drop = drop || line.find(word) != std::string_view::npos;
    if (!drop) rest += std::string(line) + "\n";
  }
  return rest;
}

TEST(VanishedDevice, NeedsNoRevertOfItsChanges) {
  const unsigned all = changes_of_prepare();
  unsigned rolled_back = 0;
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = without(vm.dump(), {std::string("link ") + kVf + " "});
    const auto what = prepare_with_event(vm, at, [&] { vm.unplug_vf(kVf); });
    if (!vm.state.journal.empty()) {
      const auto restored = restore({"eth1"}, vm.context());
      ASSERT_TRUE(restored && restored->size() == 1) << what;
      EXPECT_TRUE(restored->front().is_complete()) << what;
    } else {
      EXPECT_THAT(what, HasSubstr(std::string("the VF ") + kVf + " was removed"));
      ++rolled_back;
    }
    EXPECT_EQ(vm.dump(), before) << what;
  }
  EXPECT_GT(rolled_back, all / 2);
}

TEST(VanishedDevice, JoinsAgainWhenItReturns) {
  const unsigned all = changes_of_prepare();
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = vm.dump();
    const auto what = prepare_with_event(vm, at, [&] {
      vm.unplug_vf(kVf);
      vm.plug_vf(kVf);
    });
    const auto restored = restore({"", true}, vm.context());
    ASSERT_TRUE(restored) << what;
    for (const auto& one : *restored) EXPECT_TRUE(one.is_complete()) << what;
    vm.context().clock.pause(std::chrono::seconds(1));
    EXPECT_EQ(vm.dump(), before) << what;
  }
}

TEST(VanishedDevice, MayBeAWholeNic) {
  const unsigned all = changes_of_prepare();
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = without(vm.dump(), {"eth1 ", kVf, vm.state.channels[1].id, "10.0.1."});
    const auto what = prepare_with_event(vm, at, [&] { vm.unplug_nic(1); });
    if (!vm.state.journal.empty()) {
      const auto restored = restore({"eth1"}, vm.context());
      ASSERT_TRUE(restored && restored->size() == 1) << what;
      EXPECT_TRUE(restored->front().is_complete()) << what;
    } else {
      EXPECT_THAT(what, HasSubstr("was removed"));
    }
    EXPECT_EQ(vm.dump(), before) << what;
  }
}

TEST(VanishedDevice, IsNotAssumedIfTheLinksCannotBeRead) {
  FakeVm vm;
  Entry entry;
  entry.nic.vf = kVf;
  entry.nic.mac = *MacAddress::parse("00:0d:3a:00:00:01");
  EXPECT_FALSE(find_vanished_device(entry, vm.context().system).vf);
  vm.unplug_vf(kVf);
  EXPECT_TRUE(find_vanished_device(entry, vm.context().system).vf);
  vm.unreadable["links"] = 0;
  EXPECT_FALSE(find_vanished_device(entry, vm.context().system).vf);
}

TEST(VanishedDevice, DoesNotExcuseFailuresOfOtherDevices) {
  // The VF vanishes, and in addition the channel cannot be bound again.
  FakeVm vm;
  vm.after = [&](const std::string& what) {
    if (what.find("hv_netvsc/unbind") != std::string::npos) vm.unplug_vf(kVf);
  };
  const auto id = vm.state.channels[1].id;
  vm.refused["echo " + id + " > sys/bus/vmbus/drivers/hv_netvsc/bind"] = 12;
  const auto result = prepare(request_for_eth1(), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::roll_back_failed);
  std::vector<std::string> failed;
  for (const auto& one : result->reverted) {
    if (!one.succeeded()) failed.push_back(one.title);
    EXPECT_EQ(one.device_vanished, one.title.find(kVf) != std::string::npos) << one.title;
  }
  EXPECT_FALSE(failed.empty());
}

}  // namespace
}  // namespace manactl::setup::vanished_device_test
