// SPDX-License-Identifier: MIT
//
// Tests the reverts of single steps if the state of the machine was changed after the step.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/if.h>

#include <algorithm>
#include <cerrno>

#include "setup/fake_vm.h"
#include "setup/steps.h"
#include "setup/sysfs.h"
#include "setup/transaction.h"

namespace manactl::setup::reverts_test {
namespace {

using std::chrono::milliseconds;
using test::FakeVm;
using ::testing::HasSubstr;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
constexpr const char* kVf = "enP30832p0s0d1";
constexpr const char* kPool = "sys/devices/system/node/node0/hugepages/hugepages-2048kB";

std::string text_of(const Result<>& result) {
  return result ? "" : result.error().message;
}

// Reverts a step and returns its error, or "".
std::string revert(FakeVm& vm, Step& step, Values before, Values after = {}, bool force = false) {
  auto record = make_record(step, std::move(before));
  record.after = std::move(after);
  record.begun = true;
  vm.rebuild();
  return text_of(step.revert(vm.context(), {record, {}, force}));
}

TEST(ReserveHugepages, RemovesOnlyItsOwnPages) {
  struct Case {
    unsigned now, before, others;
    const char* granted;  // of this step; "" if unknown
    unsigned left;        // afterwards; equal to `now` if nothing is written
    bool good;
  };

  // The step reserved 10 pages.
  for (const auto& [now, before, others, granted, left, good] : {
           Case{74, 64, 0, "10", 64, true},
           Case{64, 64, 0, "10", 64, true},
           Case{70, 64, 0, "10", 70, false},
           Case{75, 64, 0, "10", 75, false},
           Case{63, 64, 0, "10", 63, false},
           Case{74, 64, 0, "", 64, true},
           Case{65, 64, 0, "", 64, true},
           Case{75, 64, 0, "", 75, false},
           Case{63, 64, 0, "", 63, false},
           Case{74, 64, 5, "10", 74, false},
           Case{69, 64, 5, "10", 59, true},
           Case{10, 3, 5, "10", 0, true},
       }) {
    FakeVm vm;
    vm.state.pools[kPool] = now;
    const auto step = reserve_hugepages(kPool, 10, others);
    Values after;
    if (*granted != '\0') after = {{"granted", granted}};
    const auto error = revert(vm, *step, {{"pages", std::to_string(before)}}, after);
    EXPECT_EQ(error.empty(), good) << now << " " << granted << error;
    EXPECT_EQ(vm.state.pools[kPool], left) << now << " " << granted;
  }
}

TEST(ReserveHugepages, LeavesThePagesOfOtherEntries) {
  const auto other = [](const std::string& pool, const std::string& granted) {
    auto record = make_record(*reserve_hugepages(pool, 4, 0), {{"pages", "0"}});
    record.begun = true;
    if (!granted.empty()) record.after = {{"granted", granted}};
    return record;
  };
  const auto known = other(kPool, "3");
  const auto unknown = other(kPool, "");
  const auto elsewhere = other("sys/other", "50");
  const auto module = make_record(*load_module("mana"), {});
  const auto left = [&](unsigned now, std::vector<const StepRecord*> others) {
    FakeVm vm;
    vm.state.pools[kPool] = now;
    vm.rebuild();
    const auto step = reserve_hugepages(kPool, 10, 0);
    auto record = make_record(*step, {{"pages", "64"}});
    record.after = {{"granted", "10"}};
    record.begun = true;
    const auto reverted = step->revert(vm.context(), {record, std::move(others), false});
    return reverted ? static_cast<int>(vm.state.pools[kPool]) : -1;
  };
  EXPECT_EQ(left(77, {&known, &elsewhere, &module}), 67);
  EXPECT_EQ(left(74, {&known}), -1);
  EXPECT_EQ(left(78, {&unknown}), 68);
  for (const unsigned now : {64U, 66U, 68U}) {
    EXPECT_EQ(left(now, {&unknown}), static_cast<int>(now)) << "released already";
  }
  EXPECT_EQ(left(63, {&unknown}), -1);
}

TEST(ReserveHugepages, ReportsEachFailure) {
  FakeVm vm;
  vm.state.pools[kPool] = 74;
  const auto step = reserve_hugepages(kPool, 10, 0);
  const auto file = fmt::format("{}/nr_hugepages", kPool);
  EXPECT_EQ(revert(vm, *step, {}), "the journal has no page count");
  EXPECT_EQ(revert(vm, *step, {{"pages", "60"}}, {{"granted", "10"}}),
            fmt::format("/{} is '74', but manactl set it to '70': something else changed it; use "
                        "--force to overwrite it",
                        file));
  EXPECT_THAT(revert(vm, *step, {{"pages", "60"}}), HasSubstr("manactl set it to '70'"));
  vm.refused["echo 64 > " + file] = EACCES;
  EXPECT_EQ(revert(vm, *step, {{"pages", "64"}}, {{"granted", "10"}}),
            fmt::format("cannot echo 64 > {}: Permission denied", file));
  vm.refused.clear();
  vm.after = [&](const std::string&) { vm.state.pools[kPool] = 70; };
  EXPECT_EQ(revert(vm, *step, {{"pages", "64"}}, {{"granted", "10"}}),
            fmt::format("/{} is 70 after 64 was written: pages are in use; end the DPDK programs, "
                        "delete the files rtemap_* that they left in hugetlbfs, and restore again",
                        file));
  vm.after = nullptr;
  EXPECT_EQ(revert(vm, *step, {{"pages", "60"}}, {{"granted", "10"}}, true), "");
  EXPECT_EQ(vm.state.pools[kPool], 60U);
}

TEST(ReserveHugepages, GrantsNothingIfOthersTookPages) {
  FakeVm vm;
  vm.after = [&](const std::string&) { vm.state.pools[kPool] = 60; };
  const auto step = reserve_hugepages(kPool, 10, 0);
  EXPECT_EQ(*step->apply(vm.context()), (Values{{"granted", "0"}}));
  EXPECT_THAT(text_of(step->verify(vm.context().system)),
              HasSubstr("the kernel granted 0 of 10 hugepages in /sys"));
  EXPECT_FALSE(step->is_done({}));
  EXPECT_TRUE(reserve_hugepages(kPool, 0, 0)->is_done({}));
}

TEST(SetMtu, KeepsTheValueOfAnotherProgramUnlessTheInterfaceIsNew) {
  FakeVm vm;
  const auto step = set_mtu({"eth1"}, 4000);
  EXPECT_THAT(revert(vm, *step, {{"index", "4"}}), HasSubstr("the journal has no MTU: "));
  EXPECT_EQ(revert(vm, *step, {{"mtu", "1500"}, {"index", "4"}}), "");
  EXPECT_EQ(vm.changes(), 0U);
  EXPECT_EQ(revert(vm, *step, {{"mtu", "1400"}, {"index", "4"}}),
            "the MTU of eth1 is '1500', but manactl set it to '4000': something else changed it; "
            "use --force to overwrite it");
  EXPECT_EQ(revert(vm, *step, {{"mtu", "1400"}, {"index", "3"}}), "");
  EXPECT_EQ(vm.link("eth1")->mtu, 1400U);
  EXPECT_EQ(revert(vm, *step, {{"mtu", "1300"}, {"index", "4"}}, {}, true), "");
  EXPECT_EQ(vm.link("eth1")->mtu, 1300U);
}

TEST(SetDown, RestoresTheStateBefore) {
  for (const char* before : {"up", "down"}) {
    for (const bool is_up : {false, true}) {
      FakeVm vm;
      if (!is_up) vm.state.links.at(4).flags &= ~unsigned{IFF_UP};
      EXPECT_EQ(revert(vm, *set_down({"eth1"}), {{"state", before}}), "");
      EXPECT_EQ(vm.link("eth1")->is_up(), before == std::string("up"));
      EXPECT_EQ(vm.changes(), is_up == (before == std::string("up")) ? 0U : 1U);
    }
  }
}

TEST(KeepDown, GivesUpIfTheInterfaceIsSetUpAgainAndAgain) {
  FakeVm vm;
  const auto step = keep_down({kVf});
  vm.after = [&](const std::string&) { vm.state.links.at(5).flags |= IFF_UP; };
  EXPECT_EQ(step->apply(vm.context()).error().message,
            fmt::format("something repeatedly sets {} up: configure the network manager to ignore "
                        "it",
                        kVf));
  EXPECT_EQ(vm.changes(), 5U);
  EXPECT_EQ(text_of(step->verify(vm.context().system)), fmt::format("{} is up again", kVf));
  vm.after = nullptr;
  const auto start = vm.context().clock.now();
  EXPECT_TRUE(step->apply(vm.context()));
  EXPECT_EQ(vm.context().clock.now() - start, milliseconds(300));
  EXPECT_TRUE(step->verify(vm.context().system));
  EXPECT_FALSE(step->is_done(*step->observe(vm.context().system)));
}

TEST(UnbindChannel, ReportsWhyItCannotBindAgain) {
  FakeVm vm;
  auto& channel = vm.state.channels[1];
  const auto step = unbind_channel({"eth1", kEth1}, NicInterface{kVf});
  ASSERT_TRUE(step->apply(vm.context()));
  const auto unbound = vm.state;
  const auto bind = fmt::format("echo {} > sys/bus/vmbus/drivers/hv_netvsc/bind", kEth1);
  vm.refused[bind] = EIO;
  EXPECT_EQ(revert(vm, *step, {{"joined", "yes"}}), "cannot " + bind + ": Input/output error");
  vm.refused.clear();
  channel.driver = "vfio";
  EXPECT_EQ(revert(vm, *step, {{"joined", "yes"}}),
            fmt::format("channel {} is bound to 'vfio': unbind it first", kEth1));
  const auto took = [&](const std::string& expected) {
    vm.context().clock.pause(milliseconds(1000));
    vm.state = unbound;
    const auto start = vm.context().clock.now();
    EXPECT_EQ(revert(vm, *step, {{"joined", "yes"}}), expected);
    return (vm.context().clock.now() - start).count();
  };
  EXPECT_EQ(took(""), 20);
  vm.udev_renames = false;
  EXPECT_EQ(took(""), 2000);
  EXPECT_NE(vm.link("eth1"), nullptr);
  vm.refused["ip eth9 name eth1"] = EPERM;
  EXPECT_EQ(took("cannot ip eth9 name eth1: Operation not permitted"), 2000);
  vm.refused.clear();
  EXPECT_THAT(revert(vm, *unbind_channel({"a/b", kEth1}, {}), {}), HasSubstr("'a/b' is not"));
  vm.udev_renames = true;
  vm.vf_joins = false;
  EXPECT_EQ(took(fmt::format("the VF {} did not join eth1 again", kVf)), 5000);
  vm.after = [&](const std::string&) { vm.unplug_vf(kVf); };
  EXPECT_EQ(took(fmt::format("interface '{}' does not exist", kVf)), 5000);
  vm.after = [&](const std::string&) { vm.state.links.erase(vm.state.links.rbegin()->first); };
  EXPECT_EQ(took(fmt::format("hv_netvsc did not create an interface for channel {}", kEth1)), 5000);
}

TEST(UnbindChannel, DoesNotWaitForWhatWasNotThere) {
  FakeVm vm;
  vm.vf_joins = false;
  const auto step = unbind_channel({"eth1", kEth1}, {});
  EXPECT_EQ(*step->observe(vm.context().system),
            (Values{{"driver", "hv_netvsc"}, {"joined", "no"}}));
  ASSERT_TRUE(step->apply(vm.context()));
  EXPECT_TRUE(step->is_done(*step->observe(vm.context().system)));
  const auto start = vm.context().clock.now();
  EXPECT_EQ(revert(vm, *step, {{"joined", "no"}}), "");
  vm.udev_renames = false;
  EXPECT_EQ(revert(vm, *unbind_channel({"", kEth1}, {}), {}), "") << "the former name is unknown";
  EXPECT_EQ(vm.context().clock.now(), start);
}

TEST(OverrideDriver, RestoresTheEarlierOverride) {
  FakeVm vm;
  auto& overridden = vm.state.channels[1].overridden;
  const auto step = override_driver(kEth1);
  overridden = "vfio";
  EXPECT_EQ(revert(vm, *step, {{"override", ""}}),
            fmt::format("/{}/driver_override is 'vfio', but manactl set it to 'uio_hv_generic': "
                        "something else changed it; use --force to overwrite it",
                        device_path(kEth1)));
  EXPECT_EQ(revert(vm, *step, {{"override", "vfio"}}), "");
  EXPECT_EQ(vm.changes(), 0U);
  EXPECT_EQ(revert(vm, *step, {{"override", ""}}, {}, true), "");
  EXPECT_EQ(overridden, "");
  overridden = kUio;
  EXPECT_EQ(revert(vm, *step, {{"override", "vfio"}}), "");
  EXPECT_EQ(overridden, "vfio");
}

TEST(AddClassId, RemovesTheIdOnlyIfItAddedIt) {
  struct Case {
    bool shared;
    const char *before, *after;
    bool there;  // the id
    bool stays, good;
  };

  for (const auto& [shared, before, after, there, stays, good] : {
           Case{false, "unknown", "added", true, false, true},
           Case{false, "unknown", "existed", true, true, true},
           Case{false, "unknown", "", true, false, false},
           Case{false, "unknown", "", false, false, true},
           Case{false, "absent", "", true, false, true},
           Case{true, "unknown", "", true, false, true},
       }) {
    FakeVm vm;
    vm.state.modules.insert(kUio);
    if (there) vm.state.ids.insert(kNicClass);
    const auto error = revert(vm, *add_class_id(shared), {{"id", before}}, {{"id", after}});
    EXPECT_EQ(error.empty(), good) << before << " " << after << error;
    EXPECT_EQ(vm.state.ids.count(kNicClass) != 0, stays) << before << " " << after;
  }
  FakeVm vm;
  EXPECT_EQ(revert(vm, *add_class_id(false), {{"id", "absent"}}), "") << "no module";
  EXPECT_EQ(vm.changes(), 0U);
  vm.state.modules.insert(kUio);
  const auto remove = fmt::format("echo {} > {}/remove_id", kNicClass, driver_path(kUio));
  vm.refused[remove] = EIO;
  EXPECT_THAT(revert(vm, *add_class_id(false), {{"id", "absent"}}), HasSubstr("cannot " + remove));
}

TEST(AddClassId, RemovesTheIdUnlessAnotherNicStillNeedsIt) {
  FakeVm vm;
  vm.state.modules.insert(kUio);
  const auto step = add_class_id(false);
  Entry other;
  other.id = "other";
  other.boot_id = vm.boot_id;
  other.steps = {make_record(*step, {})};
  Entry own = other;
  own.id = "own";
  own.steps[0].begun = true;
  own.steps[0].after = {{"id", "added"}};
  auto& needed = other.steps[0];
  const auto stays = [&] {
    vm.state.ids.insert(kNicClass);
    auto reverted = own;
    EXPECT_TRUE(all_reverted(roll_back(vm.context(), reverted, {other}, false)));
    return vm.state.ids.contains(kNicClass);
  };
  EXPECT_FALSE(stays()) << "the other step never began";
  needed.begun = true;
  EXPECT_TRUE(stays());
  needed.reverted = true;
  EXPECT_FALSE(stays());
  needed.reverted = false;
  other.boot_id = "earlier";
  EXPECT_FALSE(stays());
}

TEST(AddClassId, RecordsWhetherTheIdExisted) {
  for (const bool shared : {false, true}) {
    FakeVm vm;
    vm.state.modules.insert(kUio);
    vm.rebuild();
    EXPECT_EQ(*add_class_id(shared)->observe(vm.context().system), (Values{{"id", "unknown"}}));
    EXPECT_EQ(*add_class_id(shared)->apply(vm.context()), (Values{{"id", "added"}}));
    const auto step = add_class_id(shared);
    EXPECT_EQ(*step->apply(vm.context()), (Values{{"id", shared ? "added" : "existed"}}));
    EXPECT_TRUE(step->verify(vm.context().system));
    vm.refused[fmt::format("echo {} > {}/new_id", kNicClass, driver_path(kUio))] = EIO;
    EXPECT_EQ(*step->apply(vm.context()), (Values{{"id", "existed"}}));
    EXPECT_EQ(step->verify(vm.context().system).error().sys, EIO);
  }
}

TEST(WaitForUio, HasATimeout) {
  FakeVm vm;
  const auto step = wait_for_uio(kEth1);
  const auto start = vm.context().clock.now();
  EXPECT_EQ(step->apply(vm.context()).error().message,
            fmt::format("uio_hv_generic did not create a uio device for channel {}", kEth1));
  EXPECT_EQ(vm.context().clock.now() - start, milliseconds(5000));
}

TEST(BindChannel, IsRevertedOnlyIfItIsBound) {
  FakeVm vm;
  EXPECT_EQ(revert(vm, *bind_channel(kEth1), {}), "");
  EXPECT_EQ(vm.state.channels[1].driver, kNetvsc);
  EXPECT_EQ(vm.changes(), 0U);
}

TEST(Verify, ShowsTheStateThatTheKernelLeft) {
  FakeVm vm;
  EXPECT_EQ(text_of(load_module("x")->verify(vm.context().system)),
            "the kernel accepted the change, but the state is still loaded=no");
  vm.unreadable["modules"] = 0;
  EXPECT_THAT(text_of(load_module("x")->verify(vm.context().system)),
              HasSubstr("cannot verify: cannot read modules"));
  EXPECT_THAT(fail_changed("x", "a\n", "b\n").value().message,
              HasSubstr("'a\\x0a', but manactl set it to 'b\\x0a'"));
}

}  // namespace
}  // namespace manactl::setup::reverts_test
