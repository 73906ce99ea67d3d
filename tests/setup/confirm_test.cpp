// SPDX-License-Identifier: MIT
//
// confirm keeps the changes of one NIC, and the files of --persist exist only while their NIC is
// meant to be prepared at every boot.

#include "setup/confirm.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "setup/fake_vm.h"
#include "setup/restore.h"
#include "setup/watchdog.h"

namespace manactl::setup::confirm_test {
namespace {

using test::FakeVm;
using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

Request request_for(const char* name, bool persists = false) {
  Request request;
  request.interface = *InterfaceName::parse(name);
  request.force_interface = name;
  if (persists) request.boot_program = "/usr/bin/manactl";
  return request;
}

PrepareResult prepare_unconfirmed(FakeVm& vm, const char* name, bool persists = false) {
  const auto unconfirmed = [](Entry& entry, Lock& /*lock*/) -> Result<> {
    entry.confirmed = false;
    return {};
  };
  auto prepared = prepare(request_for(name, persists), vm.context(), unconfirmed);
  EXPECT_TRUE(prepared && prepared->outcome == PrepareOutcome::done);
  return prepared ? std::move(*prepared) : PrepareResult();
}

bool is_confirmed(FakeVm& vm, const char* interface) {
  const auto entries = vm.journal().entries();
  for (const auto& entry : *entries) {
    if (entry.interface == interface) return entry.confirmed;
  }
  return false;
}

std::vector<std::string> boot_files(const FakeVm& vm) {
  return vm.persistence().list("");
}

TEST(Confirm, ConfirmsTheOnlyNicThatAwaitsIt) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1");
  EXPECT_EQ(confirm("", vm.context()).value()->name, "eth1");
  EXPECT_TRUE(is_confirmed(vm, "eth1"));
  EXPECT_EQ(confirm("eth1", vm.context()).value(), std::nullopt);
}

TEST(Confirm, FailsIfNothingAwaitsIt) {
  FakeVm vm;
  const auto refusal = [&vm] {
    const auto refused = confirm("", vm.context());
    return refused ? Errc::io : refused.error().code;
  };
  EXPECT_EQ(refusal(), Errc::not_found);
  prepare_unconfirmed(vm, "eth1");
  ASSERT_TRUE(restore({"eth1"}, vm.context()));  // as the watchdog does
  EXPECT_EQ(refusal(), Errc::not_found) << "after a rollback";
}

TEST(Confirm, DoesNotConfirmTheNicOfAnotherAdministrator) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth0");
  prepare_unconfirmed(vm, "eth1");
  const auto unnamed = confirm("", vm.context());
  ASSERT_FALSE(unnamed);
  EXPECT_EQ(unnamed.error().code, Errc::invalid);
  EXPECT_THAT(unnamed.error().message, HasSubstr("(eth0, eth1): name one"));
  for (const char* name : {"eth1", kEth1, "00:0d:3a:76:3b:d1", "enP30832p0s0d1"}) {
    ASSERT_TRUE(confirm(name, vm.context())) << name;
    EXPECT_TRUE(is_confirmed(vm, "eth1"));
    EXPECT_FALSE(is_confirmed(vm, "eth0"));
  }
  EXPECT_EQ(confirm("eth7", vm.context()).error().code, Errc::not_found);
}

TEST(Confirm, RefusesANicThatIsNotCompletelyPrepared) {
  const auto refusal = [](FakeVm& vm, const char* name) {
    const auto refused = confirm(name, vm.context());
    EXPECT_FALSE(refused);
    EXPECT_FALSE(is_confirmed(vm, "eth1"));
    return refused ? "" : refused.error().message;
  };
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1");
  const auto entry = vm.state.journal;
  ASSERT_TRUE(vm.journal().begin_restore(kEth1));
  for (const char* name : {"", "eth1"}) {
    EXPECT_THAT(refusal(vm, name), HasSubstr("'eth1' is not completely prepared"));
  }
  vm.state.journal = entry;
  vm.state.journal.begin()->second += "torn";
  EXPECT_THAT(refusal(vm, "eth1"), HasSubstr("'eth1' is not completely prepared"));
  vm.state.journal.begin()->second = "damaged";
  EXPECT_THAT(refusal(vm, kEth1), HasSubstr("is not completely prepared"));
  vm.state.journal = entry;
  vm.boot_id = "another";
  vm.rebuild();
  EXPECT_THAT(refusal(vm, "eth1"), HasSubstr("the last reboot restored 'eth1'"));
  EXPECT_THAT(refusal(vm, ""), HasSubstr("nothing awaits confirmation"));
}

TEST(Confirm, RefusesANicThatSomethingElseHasUnbound) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1");
  vm.state.channels[1].driver = "hv_netvsc";
  vm.rebuild();
  const auto refused = confirm("eth1", vm.context());
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::busy);
  EXPECT_THAT(refused.error().message, HasSubstr("'eth1' is no longer bound to uio_hv_generic"));
  EXPECT_FALSE(is_confirmed(vm, "eth1"));
}

TEST(Confirm, FailsIfTheJournalCannotBeUsed) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1");
  vm.refused["journal append"] = ENOSPC;
  EXPECT_THAT(confirm("", vm.context()).error().message, HasSubstr("cannot write the journal"));
  EXPECT_FALSE(is_confirmed(vm, "eth1"));
  vm.unreadable["journal"] = 0;
  EXPECT_THAT(confirm("", vm.context()).error().message, HasSubstr("cannot read the journal"));
}

TEST(Confirm, HoldsTheLockWhileItWrites) {
  FakeVm vm;
  const auto context = vm.context("confirm");
  const auto unconfirmed = [](Entry& entry, Lock&) -> Result<> {
    entry.confirmed = false;
    return {};
  };
  ASSERT_TRUE(prepare(request_for("eth1"), context, unconfirmed));
  {
    const auto held = take_lock(context.lock_file, "restore eth1");
    const auto refused = confirm("", context);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Errc::busy);
    EXPECT_FALSE(vm.journal().entries()->front().confirmed);
  }
  unsigned writes = 0;
  vm.after = [&](const std::string&) {
    ++writes;
    EXPECT_FALSE(take_lock(context.lock_file, "restore eth1"));
  };
  EXPECT_EQ(confirm("", context).value()->name, "eth1");
  EXPECT_EQ(writes, 1U);
  EXPECT_TRUE(vm.journal().entries()->front().confirmed);
}

TEST(ConfirmPersist, WritesTheBootFilesThatPrepareOnlyRecords) {
  FakeVm vm;
  const auto prepared = prepare_unconfirmed(vm, "eth1", true);
  EXPECT_THAT(prepared.persistent, Contains(EndsWith("/manactl-prepare-eth1.service")));
  EXPECT_THAT(boot_files(vm), IsEmpty()) << "a reboot would prepare the NIC without a watchdog";
  const auto confirmed = confirm("eth1", vm.context());
  ASSERT_TRUE(confirmed && *confirmed);
  EXPECT_EQ((*confirmed)->persistent, prepared.persistent);
  EXPECT_THAT(boot_files(vm), SizeIs(prepared.persistent.size()));
}

TEST(ConfirmPersist, LeavesNoBootFilesIfTheWatchdogRestores) {
  FakeVm vm;
  const auto before = vm.dump();
  prepare_unconfirmed(vm, "eth1", true);
  WatchdogTask task{kEth1,
                    vm.context().clock.now(),
                    [] { return false; },
                    [] {},
                    [] { return false; },
                    [](const std::string&) {}};
  EXPECT_EQ(run_watchdog(task, vm.context()), WatchdogOutcome::restored);
  EXPECT_EQ(vm.dump(), before);
  EXPECT_THAT(boot_files(vm), IsEmpty());
}

TEST(ConfirmPersist, DoesNotConfirmIfABootFileCannotBeWritten) {
  FakeVm vm;
  const auto prepared = prepare_unconfirmed(vm, "eth1", true);
  const auto root = std::filesystem::path(vm.context().lock_file).parent_path();
  const auto foreign = root.string() + prepared.persistent.back();
  std::filesystem::create_directories(std::filesystem::path(foreign).parent_path());
  std::ofstream(foreign) << "mine\n";
  const auto failed = confirm("eth1", vm.context());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("was not written by manactl"));
  EXPECT_FALSE(is_confirmed(vm, "eth1"));
  EXPECT_THAT(boot_files(vm), IsEmpty());
}

TEST(ConfirmPersist, LeavesNoBootFilesIfTheConfirmationCannotBeRecorded) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1", true);
  vm.refused["journal append"] = ENOSPC;
  const auto failed = confirm("eth1", vm.context());
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("not confirmed: cannot write the journal"));
  EXPECT_THAT(boot_files(vm), IsEmpty());
}

TEST(ConfirmPersist, WritesOnlyToTheDirectoriesOfBootFiles) {
  FakeVm vm;
  prepare_unconfirmed(vm, "eth1");
  ASSERT_TRUE(vm.journal().save_boot_files(kEth1, {{"/etc/cron.d", "manactl-eth1", "# x"}}));
  EXPECT_THAT(confirm("eth1", vm.context()).error().message, HasSubstr("'/etc/cron.d' is not"));
  EXPECT_FALSE(is_confirmed(vm, "eth1"));
}

class RestorePersist : public ::testing::Test {
 protected:
  RestorePersist() {
    EXPECT_TRUE(prepare(request_for("eth1", true), vm_.context())->persisted);
    EXPECT_TRUE(prepare(request_for("eth0", true), vm_.context())->persisted);
    EXPECT_THAT(files_of("eth0"), SizeIs(3));
    EXPECT_THAT(files_of("eth1"), SizeIs(3));
  }

  std::vector<std::string> files_of(const char* name) const { return vm_.persistence().list(name); }

  FakeVm vm_;
};

TEST_F(RestorePersist, RemovesTheBootFilesOfTheNicAlone) {
  const auto files = files_of("eth1");
  const auto restored = restore({"00:0d:3a:76:3b:d1"}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_EQ(restored->front().removed, files);
  EXPECT_THAT(files_of("eth1"), IsEmpty());
  EXPECT_THAT(files_of("eth0"), SizeIs(3));
}

TEST_F(RestorePersist, KeepsTheBootFilesUntilTheNicIsRestored) {
  {
    const auto lock = take_lock(vm_.context().lock_file, "other");
    EXPECT_EQ(restore({"eth1"}, vm_.context()).error().code, Errc::busy);
  }
  EXPECT_THAT(files_of("eth1"), SizeIs(3));
  RestoreRequest recover;
  recover.unfinished = true;
  EXPECT_THAT(*restore(recover, vm_.context()), IsEmpty());
  EXPECT_THAT(files_of("eth1"), SizeIs(3));
  vm_.state.channels[1].overridden = "vfio";
  vm_.rebuild();
  EXPECT_FALSE(restore({"eth1"}, vm_.context())->front().is_complete());
  EXPECT_THAT(files_of("eth1"), SizeIs(3));
}

// Without a readable entry, only the boot files name the interface of the channel.
TEST_F(RestorePersist, ListsTheBootFilesInADryRunWithoutAReadableEntry) {
  const auto files = files_of("eth1");
  auto& entry = vm_.state.journal.at(std::string(kEth1) + ".jsonl");
  for (const bool has_entry : {true, false}) {
    entry = "{";
    if (!has_entry) vm_.state.journal.erase(std::string(kEth1) + ".jsonl");
    RestoreRequest request{kEth1};
    request.dry_run = true;
    const auto before = vm_.dump();
    const auto planned = restore(request, vm_.context());
    ASSERT_TRUE(planned && planned->size() == 1);
    EXPECT_EQ(planned->front().interface, "eth1");
    EXPECT_EQ(planned->front().removed, files) << has_entry;
    EXPECT_EQ(vm_.dump(), before);
    EXPECT_EQ(files_of("eth1"), files);
  }
  const auto restored = restore({kEth1}, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_EQ(restored->front().removed, files);
}

TEST(RestoreFiles, RemovesThoseOfANicThatIsNotPrepared) {
  for (const char* name : {"eth1", "00:0d:3a:76:3b:d1"}) {
    FakeVm vm;
    ASSERT_TRUE(prepare(request_for("eth1", true), vm.context()));
    const auto files = boot_files(vm);
    ASSERT_TRUE(restore({"eth1"}, vm.context()));
    ASSERT_THAT(boot_files(vm), IsEmpty());
    for (const auto& path : files) {
      const auto slash = path.rfind('/');
      ASSERT_TRUE(vm.persistence().write(
          {{path.substr(0, slash), path.substr(slash + 1), header_of("eth1")}}));
    }
    const auto restored = restore({name}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1) << name;
    EXPECT_TRUE(restored->front().has_only_files());
    EXPECT_EQ(restored->front().removed, files);
  }
}

TEST_F(RestorePersist, KeepsTheBootFilesOfANicThatIsNotRestoredWithAll) {
  vm_.state.channels[1].overridden = "vfio";
  vm_.rebuild();
  RestoreRequest all;
  all.all = true;
  const auto restored = restore(all, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 2);
  EXPECT_THAT(files_of("eth1"), SizeIs(3));
  EXPECT_THAT(files_of("eth0"), IsEmpty());
}

TEST_F(RestorePersist, ReportsThatItKeepsTheBootFilesIfTheJournalIsUnreadableAfterRestoring) {
  vm_.unreadable["journal"] = 3;  // before it: once at the start, and once for each NIC
  RestoreRequest all;
  all.all = true;
  const auto restored = restore(all, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 3);
  const auto& kept = restored->back();
  EXPECT_FALSE(kept.is_complete());
  ASSERT_THAT(kept.reverted, SizeIs(1));
  EXPECT_THAT(kept.reverted.front().result.error().message, HasSubstr("cannot read the journal"));
}

TEST_F(RestorePersist, RemovesAllBootFilesWithAll) {
  vm_.state.journal.erase(std::string(kEth1) + ".jsonl");
  RestoreRequest all;
  all.all = true;
  const auto restored = restore(all, vm_.context());
  ASSERT_TRUE(restored && restored->size() == 2);
  EXPECT_THAT(boot_files(vm_), IsEmpty());
  EXPECT_TRUE(restored->back().has_only_files());
}

}  // namespace
}  // namespace manactl::setup::confirm_test
