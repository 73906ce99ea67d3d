// SPDX-License-Identifier: MIT
//
// Makes each change of tune and of its restore in turn fail or kill the process, and cuts its
// journal at every byte. Afterwards, the earlier settings must be restored.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "setup/restore.h"
#include "setup/tuned_vm.h"

namespace manactl::setup::tune_faults_test {
namespace {

using test::FakeVm;
using test::Fault;
using test::Killed;
using ::testing::IsEmpty;

TuneRequest request() {
  return test::tune_request({{"mtu", "4000"},
                             {"vf-rx-ring", "2048"},
                             {"vf-channels", "4"},
                             {"tso", "off"},
                             {"qdisc", "fq"}});
}

void arrange(FakeVm& vm) {
  test::add_tuning_settings(vm);
  vm.state.settings[5] = {{"ethtool/rss", "1 - 0 1"}, {test::kRingsKey, "512 0 0 256"}};
  vm.rebuild();
}

std::vector<std::string> changes_of_tune() {
  FakeVm vm;
  arrange(vm);
  EXPECT_TRUE(tune(request(), vm.context()));
  return vm.log();
}

void expect_restored(FakeVm& vm, const std::string& before, const std::string& what) {
  vm.fail_at(0, Fault::none);
  const auto restored = restore({"", true}, vm.context());
  ASSERT_TRUE(restored) << what << ": " << restored.error().message;
  for (const auto& one : *restored) EXPECT_TRUE(one.is_complete()) << what;
  EXPECT_THAT(vm.state.journal, IsEmpty()) << what;
  EXPECT_EQ(vm.dump(), before) << what;
}

TEST(TuneFaults, RestoreAfterAKillAtAnyChangeBringsBackTheEarlierState) {
  const auto all = changes_of_tune().size();
  ASSERT_GT(all, 15U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      EXPECT_THROW((void)tune(request(), vm.context()), Killed) << at;
      expect_restored(vm, before, "killed at " + vm.log().back());
    }
  }
}

TEST(TuneFaults, TuneRollsBackWhenAnyChangeFails) {
  const auto changes = changes_of_tune();
  for (const auto fault : {Fault::refused, Fault::failed_after, Fault::ignored}) {
    for (unsigned at = 1; at <= changes.size(); ++at) {
      // The disk reports what it has not written.
      if (fault == Fault::ignored && changes[at - 1].starts_with("journal")) continue;
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      const auto nics = tune(request(), vm.context());
      ASSERT_TRUE(nics) << at << ": " << nics.error().message;
      const auto& result = nics->front().result;
      EXPECT_EQ(result.outcome, PrepareOutcome::rolled_back) << changes[at - 1];
      EXPECT_EQ(vm.dump(), before) << changes[at - 1];
      EXPECT_THAT(vm.state.journal, IsEmpty()) << changes[at - 1];
    }
  }
}

TEST(TuneFaults, AnotherRestoreCompletesOneThatWasKilled) {
  FakeVm first;
  arrange(first);
  const auto before = first.dump();
  ASSERT_TRUE(tune(request(), first.context()));
  const auto tuned = first.state;
  first.fail_at(0, Fault::none);
  ASSERT_TRUE(restore({"eth1"}, first.context()));
  const auto all = first.changes();
  ASSERT_GT(all, 5U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after, Fault::refused}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      vm.state = tuned;
      vm.rebuild();
      vm.fail_at(at, fault);
      bool is_killed = false;
      try {
        (void)restore({"eth1"}, vm.context()).has_value();
      } catch (const Killed&) {
        is_killed = true;
      }
      EXPECT_EQ(is_killed, fault != Fault::refused) << at;
      expect_restored(vm, before, "restore stopped at " + vm.log().back());
    }
  }
}

TEST(TuneFaults, AJournalCutAtAnyByteStillLeadsToARestore) {
  FakeVm vm;
  arrange(vm);
  const auto before = vm.dump();
  ASSERT_TRUE(tune(request(), vm.context()));
  const auto tuned = vm.state;
  ASSERT_EQ(tuned.journal.size(), 1U);
  const auto& [name, text] = *tuned.journal.begin();
  for (std::size_t length = 0; length < text.size(); ++length) {
    vm.state = tuned;
    vm.state.journal[name] = text.substr(0, length);
    vm.rebuild();
    const auto restored = restore({"", true}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1) << length;
    const bool is_first_line = length < text.find('\n');
    EXPECT_EQ(restored->front().is_complete(), !is_first_line) << length;
    // A change that never began according to the journal belongs to others.
    if (!is_first_line && vm.dump() != before) {
      const auto entry = read_entry(name.substr(0, name.rfind('.')), text.substr(0, length));
      EXPECT_TRUE(std::ranges::any_of(entry.steps, [](const auto& step) { return !step.begun; }))
          << length;
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace manactl::setup::tune_faults_test
