// SPDX-License-Identifier: MIT
//
// The errors of prepare, and the contents of their results.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <regex>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/prepare.h"
#include "setup/restore.h"
#include "setup/status.h"

namespace manactl::setup::prepare_errors_test {
namespace {

using test::FakeVm;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Request request_for(const std::string& interface) {
  Request request;
  request.interface = *InterfaceName::parse(interface);
  return request;
}

// Prepares eth1 and expects an error without any change.
std::string refusal(FakeVm& vm, const BeforeChanges& before_changes = {}) {
  const auto before = vm.dump();
  const auto result = prepare(request_for("eth1"), vm.context(), before_changes);
  EXPECT_FALSE(result);
  EXPECT_EQ(vm.dump(), before);
  return result ? "" : result.error().message;
}

void add_entry(FakeVm& vm, const std::string& id, const std::string& boot, bool confirmed) {
  Entry entry;
  entry.id = id;
  entry.boot_id = boot;
  entry.confirmed = confirmed;
  ASSERT_TRUE(vm.journal().create(entry));
  ASSERT_TRUE(vm.journal().mark_ready(id));
}

TEST(PrepareErrors, AreReportedBeforeAnyChange) {
  FakeVm vm;
  vm.unreadable = {{"proc/sys/kernel/random/boot_id", 0}};
  EXPECT_THAT(refusal(vm), HasSubstr("cannot identify this boot: cannot read"));
  vm.unreadable = {{"journal", 0}};
  EXPECT_THAT(refusal(vm), HasSubstr("cannot read the journal"));
  vm.unreadable.clear();
  const auto fails = [](Entry&, Lock&) -> Result<> { return fail(Errc::io, "no watchdog"); };
  EXPECT_EQ(refusal(vm, fails), "no watchdog");
  EXPECT_THAT(vm.state.journal, IsEmpty());
}

TEST(Prepare, ClosesTheEntriesOfEarlierBoots) {
  FakeVm vm;
  add_entry(vm, "hugepages-1", "another", true);
  add_entry(vm, "hugepages-2", vm.boot_id, true);
  vm.refused["journal close"] = EIO;
  EXPECT_THAT(refusal(vm), HasSubstr("cannot close the journal entry"));
  vm.refused.clear();
  ASSERT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done);
  EXPECT_EQ(vm.state.journal.count("hugepages-1.jsonl"), 0U);
  EXPECT_EQ(vm.state.journal.count("hugepages-2.jsonl"), 1U);
  vm.state.journal["c.jsonl"] = "damaged";
  EXPECT_THAT(refusal(vm), HasSubstr("an earlier run for 'c' did not finish"));
}

TEST(Prepare, ChangesNothingIfTheJournalCannotBeReadBack) {
  FakeVm vm;
  const auto before = vm.dump();
  vm.unreadable = {{"journal entry", 0}};
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back);
  EXPECT_THAT(result->cause.message, HasSubstr("cannot read the journal entry back"));
  EXPECT_THAT(vm.log(), ElementsAre("journal open", "journal close"));
  EXPECT_EQ(vm.dump(), before);
  EXPECT_THAT(vm.state.journal, IsEmpty());
}

TEST(Prepare, KeepsThousandsOfRoutes) {
  FakeVm vm;
  auto route = *std::ranges::find(vm.state.routes, "192.0.2.0/24", &os::Route::destination);
  for (unsigned i = 0; i < 5000; ++i) {
    route.destination = fmt::format("10.{}.{}.0/24", 100 + i / 256, i % 256);
    vm.state.routes.push_back(route);
  }
  vm.rebuild();
  const auto before = vm.dump();
  ASSERT_EQ(prepare(request_for("eth1"), vm.context())->outcome, PrepareOutcome::done);
  const auto restored = restore({"eth1"}, vm.context());
  ASSERT_TRUE(restored && restored->size() == 1);
  EXPECT_TRUE(restored->front().is_complete());
  EXPECT_EQ(vm.dump(), before);
}

TEST(Prepare, RemovesAnEntryThatItCouldNotOpen) {
  FakeVm vm;
  vm.refused["journal open"] = EIO;
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back);
  EXPECT_THAT(result->cause.message, HasSubstr("cannot write the journal"));
  EXPECT_EQ(result->entry.interface, "eth1");
  EXPECT_THAT(vm.log(), ElementsAre("journal open", "journal close"));
}

TEST(Prepare, ReturnsItsStepsAndItsEntry) {
  FakeVm vm;
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::done);
  EXPECT_EQ(result->signal, 0);
  EXPECT_THAT(result->reverted, IsEmpty());
  EXPECT_TRUE(result->entry.is_finished());
  const std::regex time("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[+-][0-9]{4}");
  EXPECT_TRUE(std::regex_match(result->entry.created, time)) << result->entry.created;
  std::string text;
  for (const auto& step : result->steps) {
    text += fmt::format("{} ({}){}, {} ms\n",
                        step.title,
                        step.before_text(),
                        step.changed ? "" : " unchanged",
                        step.took.count());
  }
  const auto& id = result->entry.id;
  EXPECT_EQ(
      text,
      fmt::format(
          "save the settings, addresses and routes of eth1 (mtu 1500, state up) unchanged, 0 ms\n"
          "save the settings, addresses and routes of enP30832p0s0d1 (mtu 1500, state up) "
          "unchanged, 0 "
          "ms\n"
          "load module uio_hv_generic (loaded no), 0 ms\n"
          "load module mana_ib (loaded no), 0 ms\n"
          "set eth1 down (state up), 0 ms\n"
          "set enP30832p0s0d1 down (state down) unchanged, 0 ms\n"
          "unbind eth1 ({}) from hv_netvsc (driver hv_netvsc, joined yes), 0 ms\n"
          "set driver_override of channel {} to uio_hv_generic (override -), 0 ms\n"
          "bind channel {} to uio_hv_generic (driver -), 0 ms\n"
          "wait for the uio device of channel {} (uio uio0) unchanged, 0 ms\n"
          "verify that enP30832p0s0d1 stays down (state down), 300 ms\n",
          id,
          id,
          id,
          id));
  for (const auto& step : result->entry.steps) {
    const bool changes = step.kind != StepKind::save_addresses &&
                         step.kind != StepKind::wait_for_uio &&
                         step.interface() != "enP30832p0s0d1";
    if (changes) {
      EXPECT_TRUE(step.begun && step.done) << step.title;
    }
  }
}

TEST(DryRun, KeepsNoJournal) {
  FakeVm vm;
  const auto result = dry_run_prepare(request_for("eth1"), vm.context(), {});
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::done);
  EXPECT_EQ(result->steps.size(), 11U);
  EXPECT_THAT(vm.state.journal, IsEmpty());
  const auto again = dry_run_prepare(request_for("eth1"), vm.context(), {result->entry});
  ASSERT_TRUE(again);
  EXPECT_EQ(again->outcome, PrepareOutcome::already_prepared);
}

TEST(RollBack, RevertsOnlyTheStepsThatBegan) {
  struct Case {
    const char *refused, *failed, *last;
  };

  for (const auto& one :
       {Case{"modprobe uio_hv_generic", "load module uio_hv_generic", "load module uio_hv_generic"},
        Case{"ip eth1 down", "set eth1 down", "set eth1 down"},
        Case{"journal append",
             "load module uio_hv_generic",
             "save the settings, addresses and routes of enP30832p0s0d1"}}) {
    FakeVm vm;
    vm.refused[one.refused] = EIO;
    const auto result = prepare(request_for("eth1"), vm.context());
    ASSERT_TRUE(result);
    EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back);
    EXPECT_THAT(result->cause.message, ::testing::StartsWith(std::string(one.failed) + ": "));
    ASSERT_FALSE(result->reverted.empty());
    EXPECT_EQ(result->reverted.front().title, one.last);
    EXPECT_EQ(result->reverted.back().title, "save the settings, addresses and routes of eth1");
  }
  FakeVm vm;
  vm.refused = {{"modprobe uio_hv_generic", EIO}, {"journal close", EIO}};
  const auto result = prepare(request_for("eth1"), vm.context());
  ASSERT_TRUE(result);
  EXPECT_EQ(result->outcome, PrepareOutcome::roll_back_failed);
  EXPECT_EQ(result->reverted.back().title, "close the journal entry");
  EXPECT_THAT(result->reverted.back().manual_commands, ElementsAre("manactl restore --all"));
}

TEST(StepResult, ShowsTheStateWithoutListsAndIndexes) {
  StepResult result;
  EXPECT_EQ(result.before_text(), "");
  result.before = {{"address.00000", "10.0.1.4/24"}, {"index", "4"}, {"mtu", "1500"}, {"uio", ""}};
  EXPECT_EQ(result.before_text(), "mtu 1500, uio -");
}

TEST(Words, AreCompleteAndNotEmpty) {
  EXPECT_EQ(join(words_of(kPrepareOutcomeWords), ","),
            "prepared,already-prepared,rolled-back,roll-back-failed");
  EXPECT_EQ(join(words_of(kStepKindWords), ","),
            "surroundings,module,hugepages,mtu,down,release,override,new-id,bind,uio,keep-down,"
            "setting");
  EXPECT_EQ(join(words_of(kOwnerWords), ","), "kernel,uio,nobody");
  EXPECT_EQ(join(words_of(kJournalStateWords), ","),
            "unknown,none,prepared,tuned,awaiting confirmation,unfinished,damaged,from an earlier "
            "boot,rebound by "
            "something else");
  EXPECT_EQ(join(words_of(kWatchdogStateWords), ","), "alive,stopped,dead,unknown");
}

}  // namespace
}  // namespace manactl::setup::prepare_errors_test
