// SPDX-License-Identifier: MIT
//
// The host takes a VF or a NIC away, and gives it back, at any moment.

#include "setup/gone.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup {
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
  EXPECT_TRUE(prepare(request_for_eth1(), vm.session()));
  return vm.changes();
}

// Does something after the change number `at` of prepare.
std::string prepare_and(FakeVm& vm, unsigned at, const std::function<void()>& happens) {
  std::string what;
  unsigned count = 0;
  vm.after = [&](const std::string& change) {
    if (++count != at) return;
    what = "after " + change;
    happens();
  };
  const auto result = prepare(request_for_eth1(), vm.session());
  vm.after = nullptr;
  EXPECT_TRUE(result) << what;
  if (result && result->outcome == Outcome::done) return what;
  EXPECT_EQ(result->outcome, Outcome::rolled_back) << what << ": " << result->cause.message;
  EXPECT_TRUE(vm.state.journal.empty()) << what;
  what += ", " + result->cause.message;
  return what;
}

// As it was, without these lines.
std::string without(const std::string& dump, const std::vector<std::string>& words) {
  std::string rest;
  for (const auto line : split(dump, '\n')) {
    bool drop = line.empty();
    for (const auto& word : words) drop = drop || line.find(word) != std::string_view::npos;
    if (!drop) rest += std::string(line) + "\n";
  }
  return rest;
}

TEST(Gone, AVfTakesWithItWhatWasChangedOnIt) {
  const unsigned all = changes_of_prepare();
  unsigned rolled_back = 0;
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = without(vm.dump(), {std::string("link ") + kVf + " "});
    const auto what = prepare_and(vm, at, [&] { vm.unplug_vf(kVf); });
    if (!vm.state.journal.empty()) {
      const auto restored = restore({"eth1"}, vm.session());
      ASSERT_TRUE(restored && restored->size() == 1) << what;
      EXPECT_TRUE(restored->front().is_complete()) << what;
    } else {
      EXPECT_THAT(what, HasSubstr(std::string("the VF ") + kVf + " went away"));
      ++rolled_back;
    }
    EXPECT_EQ(vm.dump(), before) << what;
  }
  EXPECT_GT(rolled_back, all / 2);
}

TEST(Gone, AVfThatComesBackIsTakenInAgain) {
  const unsigned all = changes_of_prepare();
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = vm.dump();
    const auto what = prepare_and(vm, at, [&] {
      vm.unplug_vf(kVf);
      vm.plug_vf(kVf);
    });
    const auto restored = restore({"", true}, vm.session());
    ASSERT_TRUE(restored) << what;
    for (const auto& one : *restored) EXPECT_TRUE(one.is_complete()) << what;
    vm.machine().clock.pause(std::chrono::seconds(1));
    EXPECT_EQ(vm.dump(), before) << what;
  }
}

TEST(Gone, AWholeNicTakesEverythingWithIt) {
  const unsigned all = changes_of_prepare();
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    const auto before = without(vm.dump(), {"eth1 ", kVf, vm.state.channels[1].id, "10.0.1."});
    const auto what = prepare_and(vm, at, [&] { vm.unplug_nic(1); });
    if (!vm.state.journal.empty()) {
      const auto restored = restore({"eth1"}, vm.session());
      ASSERT_TRUE(restored && restored->size() == 1) << what;
      EXPECT_TRUE(restored->front().is_complete()) << what;
    } else {
      EXPECT_THAT(what, HasSubstr("went away"));
    }
    EXPECT_EQ(vm.dump(), before) << what;
  }
}

TEST(Gone, IsNotAVfThatHasAnotherName) {
  FakeVm vm;
  ASSERT_EQ(prepare(request_for_eth1(), vm.session())->outcome, Outcome::done);
  for (auto& [index, link] : vm.state.links) {
    if (link.name == kVf) link.name = "other";
  }
  vm.rebuild();
  const auto restored = restore({"eth1"}, vm.session());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_FALSE(restored->front().is_complete());
  EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc");
  EXPECT_EQ(vm.state.journal.size(), 1U);
}

TEST(Gone, IsNoExcuseForWhatIsThere) {
  // The VF is gone, and the channel cannot go back either.
  FakeVm vm;
  vm.after = [&](const std::string& what) {
    if (what.find("hv_netvsc/unbind") != std::string::npos) vm.unplug_vf(kVf);
  };
  const auto id = vm.state.channels[1].id;
  vm.refused["echo " + id + " > sys/bus/vmbus/drivers/hv_netvsc/bind"] = 12;
  const auto result = prepare(request_for_eth1(), vm.session());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, Outcome::roll_back_failed);
  std::vector<std::string> failed;
  for (const auto& one : result->undone) {
    if (!one.is_good()) failed.push_back(one.title);
    EXPECT_EQ(one.gone, one.title.find(kVf) != std::string::npos) << one.title;
  }
  EXPECT_FALSE(failed.empty());
}

}  // namespace
}  // namespace manactl::setup
