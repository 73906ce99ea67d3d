// SPDX-License-Identifier: MIT
//
// Which entries restore selects, what it reports, and what it does without a journal.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/restore.h"
#include "setup/sysfs.h"

namespace manactl::setup::restore_selection_test {
namespace {

using test::FakeVm;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

void prepare_eth1(FakeVm& vm) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
}

RestoreRequest request_for(const std::string& name, bool all, bool unfinished) {
  RestoreRequest request;
  request.name = name;
  request.all = all;
  request.unfinished = unfinished;
  return request;
}

// The ids of the restored entries, or the error.
std::string restored_ids(FakeVm& vm, const RestoreRequest& request) {
  const auto restored = restore(request, vm.context());
  if (!restored) return restored.error().message;
  std::vector<std::string> ids;
  for (const auto& one : *restored) ids.push_back(one.id);
  return join(ids, " ");
}

// The reverted changes, with the reasons of those that failed.
std::string reverted_text(const RestoreResult& result) {
  std::vector<std::string> texts;
  for (const auto& one : result.reverted) {
    texts.push_back(one.title + (one.result ? "" : ": " + one.result.error().message));
  }
  return join(texts, "\n");
}

RestoreResult restore_one(FakeVm& vm, const RestoreRequest& request) {
  const auto restored = restore(request, vm.context());
  EXPECT_TRUE(restored && restored->size() == 1);
  return restored && restored->size() == 1 ? restored->front() : RestoreResult{};
}

TEST(RestoreSelection, DependsOnNameAndState) {
  FakeVm vm;
  Entry entry;
  entry.boot_id = vm.boot_id;
  for (const auto& [id, interface] : {std::pair{"a", "eth5"}, {"b", "eth6"}}) {
    entry.id = id;
    entry.interface = interface;
    ASSERT_TRUE(vm.journal().create(entry));
  }
  ASSERT_TRUE(vm.journal().mark_ready("a"));
  vm.state.journal["c.jsonl"] = "damaged";
  const auto state = vm.state;
  const auto ids = [&](const RestoreRequest& request) {
    vm.state = state;
    vm.rebuild();
    return restored_ids(vm, request);
  };
  EXPECT_EQ(ids(request_for("", true, false)), "a b c");
  EXPECT_EQ(ids(request_for("", false, true)), "b c");
  EXPECT_EQ(ids(request_for("", false, false)), "");
  EXPECT_EQ(ids(request_for("eth5", false, false)), "a");
  EXPECT_EQ(ids(request_for("b", false, false)), "b");
  EXPECT_EQ(ids(request_for("eth5", false, true)), "");
  EXPECT_EQ(ids(request_for("eth6", false, true)), "b");
  EXPECT_EQ(ids(request_for("eth7", false, true)), "");
  EXPECT_EQ(ids(request_for("eth7", false, false)), "c") << "it may be the entry of eth7";
}

TEST(RestoreSelection, OfAnotherNameSelectsNoUnreadableEntry) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.journal.begin()->second = "damaged";
  EXPECT_EQ(restored_ids(vm, {"eth0"}), "") << "eth0 is bound to hv_netvsc";
  vm.state.journal["c.jsonl"] = "damaged";
  EXPECT_THAT(restored_ids(vm, {"eth7"}),
              HasSubstr("'eth7' has no journal entry; if you mean channel"));
  vm.state.journal.erase("c.jsonl");
  EXPECT_EQ(restored_ids(vm, {"eth1"}), kEth1);
}

TEST(RestoreSelection, OfAnUnknownNameSuggestsAnother) {
  FakeVm vm;
  EXPECT_EQ(restored_ids(vm, {"ethh1"}),
            "'ethh1' has no journal entry: interface 'ethh1' does not exist; did you mean 'eth1'?");
  EXPECT_EQ(restored_ids(vm, {"unlike"}),
            "'unlike' has no journal entry: interface 'unlike' does not exist");
  EXPECT_EQ(restored_ids(vm, {"hugepages-1"}),
            "'hugepages-1' has no journal entry; restore takes a NIC, or hugepages that 'manactl "
            "status' lists");
  EXPECT_EQ(restored_ids(vm, {"eth1"}), "") << "bound to hv_netvsc";
  prepare_eth1(vm);
  vm.state.journal.clear();
  EXPECT_EQ(restored_ids(vm, {"ethh1"}),
            fmt::format("'ethh1' has no journal entry; if you mean channel {}, which has no "
                        "interface: run 'manactl "
                        "restore {}'",
                        kEth1,
                        kEth1));
}

// eth0 of the VM carries the default route.
TEST(RestoreSelection, OfAnUnknownNameNeverSuggestsTheAdministratorsInterface) {
  FakeVm vm;
  for (const char* name : {"ethh0", "eht0", "eth0x"}) {
    const auto message = restored_ids(vm, {name});
    EXPECT_THAT(message, HasSubstr("does not exist")) << message;
    EXPECT_THAT(message, Not(HasSubstr("'eth0'"))) << message;
  }
}

TEST(RestoreSelection, AcceptsTheAddressesOfANic) {
  FakeVm vm;
  for (const char* name : {"7870:00:00.0", "00:0d:3a:76:3b:d1"}) {
    prepare_eth1(vm);
    EXPECT_EQ(restored_ids(vm, {name}), kEth1) << name;
    EXPECT_EQ(restored_ids(vm, {name}).find(kEth1), std::string::npos) << "it is restored";
  }
}

TEST(RestoreSelection, AcceptsTheMacOfANicWithoutAnEntry) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.journal.clear();
  EXPECT_EQ(restored_ids(vm, {"00:0d:3a:76:3b:d1"}), kEth1);
}

TEST(RestoreSelection, OfAnAddressOfSeveralNicsAsksForOne) {
  FakeVm vm;
  EXPECT_THAT(
      restored_ids(vm, {"7870:00:00.0"}),
      HasSubstr("2 NICs have the address '7870:00:00.0': specify an interface, such as eth1"));
}

TEST(RestoreSelection, FailsIfTheLockOrTheJournalIsNotAvailable) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.unreadable["journal"] = 0;
  EXPECT_THAT(restored_ids(vm, {"eth1"}), HasSubstr("cannot read the journal"));
  vm.unreadable.clear();
  const auto lock = take_lock(vm.context().lock_file, "prepare eth0");
  EXPECT_THAT(restored_ids(vm, {"eth1"}), HasSubstr("holds the lock"));
}

TEST(RestoreSelection, RefusesANicInUseOnlyInThisBoot) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.processes = {{4711, "vpp", "/dev/uio0"}};
  vm.rebuild();
  const auto state = vm.state;
  EXPECT_EQ(restored_ids(vm, {"eth1"}),
            "'eth1' is in use by process 4711 (vpp): stop it first, or use --force to unbind the "
            "NIC nevertheless");
  const std::string own_boot = vm.boot_id;
  vm.boot_id = "another";
  vm.rebuild();
  EXPECT_EQ(restored_ids(vm, {"eth1"}), kEth1);
  vm.boot_id = own_boot;
  vm.state = state;
  vm.state.journal.begin()->second = "damaged";
  vm.rebuild();
  EXPECT_THAT(restored_ids(vm, {kEth1}), HasSubstr("is in use by process 4711 (vpp)"));
}

TEST(RestoreSelection, RefusesANicWhoseVerbsAreInUse) {
  FakeVm vm;
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.vf_only = true;
  ASSERT_EQ(prepare(request, vm.context())->outcome, PrepareOutcome::done);
  vm.processes = {{4711, "testpmd", "/dev/infiniband/uverbs0"}};
  vm.rebuild();
  EXPECT_THAT(restored_ids(vm, {"eth1"}), HasSubstr("is in use by process 4711 (testpmd)"));
  vm.processes.clear();
  vm.rebuild();
  EXPECT_EQ(restored_ids(vm, {"eth1"}), kEth1);
}

TEST(RestoreResultOf, AnEntryListsItsChangesNewestFirst) {
  FakeVm vm;
  const auto before = vm.dump();
  prepare_eth1(vm);
  const auto result = restore_one(vm, {"eth1"});
  EXPECT_EQ(result.id, kEth1);
  EXPECT_EQ(result.interface, "eth1");
  EXPECT_TRUE(result.journaled && result.is_complete() && !result.earlier_boot);
  EXPECT_EQ(reverted_text(result),
            fmt::format("verify that enP30832p0s0d1 stays down\n"
                        "wait for the uio device of channel {}\n"
                        "bind channel {} to uio_hv_generic\n"
                        "set driver_override of channel {} to uio_hv_generic\n"
                        "unbind eth1 ({}) from hv_netvsc\n"
                        "set enP30832p0s0d1 down\nset eth1 down\n"
                        "load module mana_ib\nload module uio_hv_generic\n"
                        "save the settings, addresses and routes of enP30832p0s0d1\n"
                        "save the settings, addresses and routes of eth1",
                        kEth1,
                        kEth1,
                        kEth1,
                        kEth1));
  EXPECT_EQ(vm.dump(), before);
}

std::string planned_text(const RestoreResult& result) {
  std::vector<std::string> texts;
  for (const auto& step : result.planned) texts.push_back(step.title);
  return join(texts, "\n");
}

TEST(RestoreDryRun, ListsTheStepsAndChangesNothing) {
  FakeVm vm;
  prepare_eth1(vm);
  const auto before = vm.dump();
  RestoreRequest request{"eth1"};
  request.dry_run = true;
  const auto planned = restore_one(vm, request);
  EXPECT_EQ(vm.dump(), before);
  EXPECT_TRUE(planned.reverted.empty());
  EXPECT_EQ(planned_text(planned),
            fmt::format("undo: bind channel {} to uio_hv_generic\n"
                        "undo: set driver_override of channel {} to uio_hv_generic\n"
                        "undo: unbind eth1 ({}) from hv_netvsc\n"
                        "undo: set enP30832p0s0d1 down\nundo: set eth1 down\n"
                        "restore the settings, addresses and routes of enP30832p0s0d1\n"
                        "restore the settings, addresses and routes of eth1",
                        kEth1,
                        kEth1,
                        kEth1));
  const auto& bind = planned.planned.front().commands;
  ASSERT_EQ(bind.size(), 1U);
  EXPECT_THAT(bind.front(), HasSubstr("/uio_hv_generic/unbind"));
}

TEST(RestoreDryRun, OmitsStepsThatNeverBeganOrAreReverted) {
  FakeVm vm;
  prepare_eth1(vm);
  auto entry = vm.journal().entries()->front();
  RestoreRequest request{"eth1"};
  request.dry_run = true;
  const auto all = restore_one(vm, request).planned.size();
  for (auto& step : entry.steps) step.reverted = step.kind == StepKind::bind_channel;
  ASSERT_TRUE(vm.journal().mark_reverted(entry));
  EXPECT_EQ(restore_one(vm, request).planned.size(), all - 1);
}

TEST(RestoreDryRun, OfAnEarlierBootHasNoSteps) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.boot_id = "another boot";
  vm.rebuild();
  RestoreRequest request{"eth1"};
  request.dry_run = true;
  const auto planned = restore_one(vm, request);
  EXPECT_TRUE(planned.earlier_boot && planned.planned.empty());
  EXPECT_FALSE(vm.state.journal.empty());
}

TEST(RestoreDryRun, NeedsNoLock) {
  FakeVm vm;
  prepare_eth1(vm);
  const auto lock = take_lock(vm.context().lock_file, "prepare eth0");
  RestoreRequest request{"eth1"};
  request.dry_run = true;
  EXPECT_EQ(restored_ids(vm, request), kEth1);
}

TEST(RestoreResultOf, AnEntryThatCannotBeClosedIsIncomplete) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.refused["journal close"] = EIO;
  const auto result = restore_one(vm, {"eth1"});
  EXPECT_FALSE(result.is_complete());
  EXPECT_EQ(result.reverted.back().title, "close the journal entry");
  EXPECT_EQ(vm.state.journal.size(), 1U);
}

TEST(RestoreResultOf, AnEntryIsCompleteIfTheBootIsUnknown) {
  FakeVm vm;
  const auto before = vm.dump();
  prepare_eth1(vm);
  vm.unreadable["proc/sys/kernel/random/boot_id"] = 0;
  EXPECT_TRUE(restore_one(vm, {"eth1"}).is_complete());
  EXPECT_EQ(vm.dump(), before);
}

TEST(RestoreResultOf, ADamagedEntryListsWhatIsLost) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.journal.begin()->second = "damaged";
  auto result = restore_one(vm, {kEth1});
  EXPECT_EQ(result.interface, "eth1") << "the interface is back";
  EXPECT_EQ(join(result.unknown, "\n"),
            fmt::format("the journal entry of '{}': its first line, which names the earlier "
                        "settings, is damaged: restore them by hand and remove "
                        "/var/lib/manactl/journal/{}.jsonl\n"
                        "whether the interfaces were up\ntheir addresses, routes and MTU\n"
                        "how many hugepages were reserved",
                        kEth1,
                        kEth1));
  EXPECT_FALSE(result.is_complete());
  EXPECT_EQ(vm.state.journal.size(), 1U) << "the entry stays";
  vm.state.journal.clear();
  const std::string id = "000d3a76-3bd5-000d-3a76-3bd5000d3a76";
  vm.state.journal[id + ".jsonl"] = "damaged";
  result = restore_one(vm, {id});
  EXPECT_EQ(reverted_text(result),
            fmt::format("inspect channel {}: VMBus channel {} does not exist", id, id));
  EXPECT_EQ(vm.state.journal.size(), 1U);
  vm.state.journal = {{std::string(61, 'x') + "\n.jsonl", "damaged"}};
  result = restore_one(vm, request_for("", true, false));
  EXPECT_EQ(reverted_text(result), "");
  EXPECT_THAT(result.unknown.front(), HasSubstr(std::string(61, 'x') + "\\x0a'"));
  EXPECT_EQ(vm.state.journal.size(), 1U);
}

TEST(RestoreWithoutAnEntry, DeducesTheChangesFromSysfs) {
  struct Case {
    const char *driver, *overridden;
    std::vector<const char*> titles;
  };

  const char* unbind = "unbind channel {} from uio_hv_generic";
  const char* clear = "clear driver_override of channel {}";
  const char* bind = "bind channel {} to hv_netvsc";
  const char* remove = "remove the network class id from uio_hv_generic";
  for (const auto& one : {Case{kUio, kUio, {unbind, clear, bind}},
                          Case{kUio, "", {unbind, bind, remove}},
                          Case{"", kUio, {clear, bind}},
                          Case{"", "", {bind}},
                          Case{kNetvsc, kUio, {clear}},
                          Case{"vfio", "", {}}}) {
    FakeVm vm;
    prepare_eth1(vm);
    vm.state.journal.begin()->second = "damaged";
    vm.state.ids.insert(kNicClass);
    auto& channel = vm.state.channels[1];
    channel.driver = one.driver;
    channel.overridden = one.overridden;
    vm.rebuild();
    std::vector<std::string> titles;
    for (const char* title : one.titles) titles.push_back(fmt::format(fmt::runtime(title), kEth1));
    const auto result = restore_one(vm, request_for("", true, false));
    std::vector<std::string> reverted;
    for (const auto& change : result.reverted) reverted.push_back(change.title);
    EXPECT_EQ(reverted, titles) << one.driver << " " << one.overridden;
  }
  FakeVm vm;
  vm.has_override = false;
  prepare_eth1(vm);
  vm.state.journal.clear();
  vm.rebuild();
  EXPECT_EQ(restore_one(vm, {kEth1}).reverted.size(), 3U) << "the kernel has no driver_override";
}

TEST(RestoreWithoutAnEntry, IsRefusedIfTheNicIsInUse) {
  FakeVm vm;
  prepare_eth1(vm);
  vm.state.journal.clear();
  vm.processes = {{4711, "vpp", "/dev/uio0"}};
  vm.rebuild();
  EXPECT_THAT(restored_ids(vm, {kEth1}), HasSubstr("in use by process 4711"));
  EXPECT_EQ(vm.state.channels[1].driver, kUio);
}

}  // namespace
}  // namespace manactl::setup::restore_selection_test
