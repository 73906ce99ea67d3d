// SPDX-License-Identifier: MIT
//
// Makes each change of prepare and restore in turn fail or kill the process. Afterwards, the
// earlier state must be restored completely, except at the points that loses_class_id() lists.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "setup/fake_vm.h"
#include "setup/restore.h"
#include "setup/sysfs.h"

namespace manactl::setup::faults_test {
namespace {

using test::FakeVm;
using test::Fault;
using test::Killed;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Request request_for(Method method) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{512, 0, 0, {}};
  request.mtu = 4000;
  request.method = method;
  return request;
}

struct Case {
  const char* name;
  Method method;
  bool id_before;         // something else has already added the class id
  std::size_t first_cut;  // the first byte at which the journal is cut
};

constexpr std::size_t kCases = 3;

class Faults : public ::testing::TestWithParam<Case> {
 protected:
  // With several settings, restore can be killed between two of them.
  static void arrange(FakeVm& vm) {
    auto& settings = vm.state.settings[4];
    settings["ethtool/channels"] = "0 0 0 1";
    settings["sys/class/net/@/ifalias"] = "backend";
    settings["sys/class/net/@/queues/rx-0/rps_cpus"] = "3";
    if (GetParam().id_before) {
      vm.state.modules.insert("uio_hv_generic");
      vm.state.ids.insert(kNicClass);
    }
    vm.rebuild();
  }

  static bool writes_journal(const std::string& change) {
    return change == "journal open" || change == "journal append";
  }

  static unsigned changes_of_prepare() {
    FakeVm vm;
    arrange(vm);
    EXPECT_TRUE(prepare(request_for(GetParam().method), vm.context()));
    return vm.changes();
  }

  // The points after which restore cannot be complete. The kernel does not list the ids of a
  // driver. While the journal records that the step began, but not that the class id existed,
  // restore removes it and reports that: an id left behind would give new NICs to uio_hv_generic.
  bool loses_class_id(unsigned at, Fault fault) const {
    if (id_recorded_ == 0) return false;
    const auto begun = id_recorded_ - 2;
    const bool has_begun = at > begun || (at == begun && fault == Fault::killed_after);
    return has_begun && (at < id_recorded_ || (at == id_recorded_ && fault != Fault::killed_after));
  }

  // The change that records that something else had added the class id, or 0.
  static unsigned find_id_record() {
    if (!GetParam().id_before) return 0;
    FakeVm vm;
    arrange(vm);
    EXPECT_TRUE(prepare(request_for(GetParam().method), vm.context()));
    const auto added = std::find_if(vm.log().begin(), vm.log().end(), [](const auto& change) {
      return change.find("/new_id") != std::string::npos;
    });
    return static_cast<unsigned>(added - vm.log().begin()) + 2;  // counted from 1; the next change
  }

  // Restores, and expects the state `before` again. If `without_id` (see loses_class_id()), restore
  // has removed the class id that was there before, and reports this and nothing else.
  static void expect_restored(FakeVm& vm,
                              const std::string& before,
                              const std::string& what,
                              bool without_id = false) {
    const auto restored = restore({"", true}, vm.context());
    ASSERT_TRUE(restored) << what << ": " << restored.error().message;
    std::vector<std::string> failed;
    for (const auto& one : *restored) {
      EXPECT_THAT(one.unknown, IsEmpty()) << what;
      for (const auto& reverted : one.reverted) {
        if (!reverted.result) failed.push_back(reverted.title);
      }
    }
    if (without_id) {
      EXPECT_THAT(failed, ElementsAre("add the network class id to uio_hv_generic")) << what;
      EXPECT_TRUE(vm.state.ids.insert(kNicClass).second) << what;
    } else {
      EXPECT_THAT(failed, IsEmpty()) << what;
      EXPECT_TRUE(vm.state.journal.empty()) << what;
    }
    EXPECT_EQ(vm.dump(), before) << what;
    if (without_id) vm.state.ids.erase(kNicClass);
    vm.rebuild();
  }

  const unsigned id_recorded_ = find_id_record();
};

TEST_P(Faults, RestoreAfterAKillAtAnyChangeBringsBackTheEarlierState) {
  const unsigned all = changes_of_prepare();
  ASSERT_GT(all, 20U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      EXPECT_THROW((void)prepare(request_for(GetParam().method), vm.context()), Killed) << at;
      const auto what = "killed at " + vm.log().back();
      vm.fail_at(0, Fault::none);
      expect_restored(vm, before, what, loses_class_id(at, fault));
      const auto after = vm.dump();
      EXPECT_TRUE(restore({"", true}, vm.context()));
      EXPECT_TRUE(vm.state.journal.empty()) << what;
      EXPECT_EQ(vm.dump(), after) << "a second restore changes nothing; " << what;
    }
  }
}

TEST_P(Faults, PrepareRollsBackWhenAnyChangeFails) {
  const unsigned all = changes_of_prepare();
  for (const auto fault :
       {Fault::refused, Fault::failed_after, Fault::disk_full, Fault::disk_full_from}) {
    const bool disk = fault == Fault::disk_full || fault == Fault::disk_full_from;
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      const auto result = prepare(request_for(GetParam().method), vm.context());
      ASSERT_TRUE(result) << at << ": " << result.error().message;
      if (result->outcome == PrepareOutcome::done) {  // change `at` does not write to a disk
        EXPECT_TRUE(disk) << at;
        EXPECT_FALSE(writes_journal(vm.log()[at - 1])) << at;
        continue;
      }
      const std::string what = result->cause.message;
      // Skip new_id: the kernel does not fail after it has added the id.
      if (fault == Fault::failed_after && what.find("/new_id: ") != std::string::npos) continue;
      EXPECT_EQ(result->outcome, PrepareOutcome::rolled_back) << what;
      EXPECT_FALSE(what.empty());
      EXPECT_EQ(vm.dump(), before) << what;
      EXPECT_TRUE(vm.state.journal.empty()) << what;
    }
  }
}

TEST_P(Faults, RestoreCompletesWhatAFailedRollBackReported) {
  const unsigned all = changes_of_prepare();
  unsigned failed = 0;
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    arrange(vm);
    const auto before = vm.dump();
    vm.fail_at(at, Fault::refused_from);
    const auto result = prepare(request_for(GetParam().method), vm.context());
    ASSERT_TRUE(result) << at << ": " << result.error().message;
    const std::string what = result->cause.message;
    ASSERT_NE(result->outcome, PrepareOutcome::done) << at;
    for (const auto& one : result->reverted) {
      // Only a failed revert has manual commands.
      EXPECT_EQ(one.result.has_value(), one.manual_commands.empty()) << what << ": " << one.title;
    }
    if (result->outcome == PrepareOutcome::rolled_back) {
      EXPECT_EQ(vm.dump(), before) << what;
    } else {
      ++failed;
      EXPECT_FALSE(vm.state.journal.empty()) << what;
    }
    vm.fail_at(0, Fault::none);
    const bool has_entry = result->outcome == PrepareOutcome::roll_back_failed;
    expect_restored(vm, before, what, has_entry && loses_class_id(at, Fault::refused_from));
  }
  EXPECT_GT(failed, 10U);
}

TEST_P(Faults, AnotherRestoreCompletesOneThatWasKilled) {
  FakeVm first;
  arrange(first);
  const auto before = first.dump();
  ASSERT_TRUE(prepare(request_for(GetParam().method), first.context()));
  const auto prepared = first.state;
  first.fail_at(0, Fault::none);
  ASSERT_TRUE(restore({"eth1"}, first.context()));
  const unsigned all = first.changes();
  ASSERT_GT(all, 5U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after, Fault::refused}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      vm.state = prepared;
      vm.rebuild();
      vm.fail_at(at, fault);
      try {
        (void)restore({"eth1"}, vm.context()).has_value();
      } catch (const Killed&) {
        EXPECT_NE(fault, Fault::refused);
      }
      const auto what = "restore stopped at " + vm.log().back();
      vm.fail_at(0, Fault::none);
      expect_restored(vm, before, what);
    }
  }
}

// The journal shows which steps never began. Meanwhile, others may have changed the same things.
TEST_P(Faults, RestoreRevertsNothingThatNeverBegan) {
  FakeVm vm;
  arrange(vm);
  vm.fail_at(2, Fault::killed_before);  // the journal is open, and no step has begun
  EXPECT_THROW((void)prepare(request_for(GetParam().method), vm.context()), Killed);
  vm.fail_at(0, Fault::none);
  vm.state.modules.insert("uio_hv_generic");
  vm.state.ids.insert(kNicClass);
  for (auto& [pool, pages] : vm.state.pools) pages += 512;
  for (auto& [index, link] : vm.state.links) link.mtu = 1400;
  vm.rebuild();
  auto journal = std::move(vm.state.journal);
  vm.state.journal.clear();
  const auto before = vm.dump();
  vm.state.journal = std::move(journal);
  expect_restored(vm, before, "killed before the first step");
}

// The kernel accepts each change of restore, but one of them has no effect.
TEST_P(Faults, RestoreNeverReportsWhatDidNotHappen) {
  FakeVm first;
  arrange(first);
  const auto before = first.dump();
  ASSERT_TRUE(prepare(request_for(GetParam().method), first.context()));
  const auto prepared = first.state;
  first.fail_at(0, Fault::none);
  ASSERT_TRUE(restore({"eth1"}, first.context()));
  const unsigned all = first.changes();
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    vm.state = prepared;
    vm.rebuild();
    vm.fail_at(at, Fault::ignored);
    const auto restored = restore({"eth1"}, vm.context());
    ASSERT_TRUE(restored) << at;
    const bool is_complete = std::ranges::all_of(*restored, &RestoreResult::is_complete);
    const auto& ignored = vm.log().at(at - 1);
    const bool is_visible = !ignored.ends_with("/remove_id");  // the kernel does not list the ids
    EXPECT_TRUE(!is_visible || !is_complete || vm.dump() == before) << "ignored: " << ignored;
  }
}

// If the journal ends with a complete line, the next step never began: pages that the pool has
// since then, and the class id, belong to others.
bool has_begun(StepKind kind, const std::string& name, const std::string& text) {
  const auto entry = read_entry(name.substr(0, name.rfind('.')), text);
  return std::ranges::any_of(
      entry.steps, [kind](const StepRecord& step) { return step.kind == kind && step.begun; });
}

// Together, the cases cut the journal at every byte; at the end of a line, each of them does.
TEST_P(Faults, AJournalCutAtAnyByteStillLeadsToARestore) {
  FakeVm vm;
  arrange(vm);
  const auto before = vm.dump();
  const auto pools = vm.state.pools;
  const auto ids = vm.state.ids;
  ASSERT_TRUE(prepare(request_for(GetParam().method), vm.context()));
  const auto prepared = vm.state;
  ASSERT_EQ(prepared.journal.size(), 1U);
  const auto name = prepared.journal.begin()->first;
  const auto text = prepared.journal.begin()->second;
  // See loses_class_id(). A line is complete without its newline.
  const auto end_of_id_line = text.find('\n', text.find(R"("after":{"id":)"));
  for (std::size_t length = 0; length < text.size(); ++length) {
    const bool is_near_end = text.find('\n', length) - length <= 1;
    if (length % kCases != GetParam().first_cut && !is_near_end) continue;
    vm.state = prepared;
    const auto cut_text = text.substr(0, length);
    vm.state.journal[name] = cut_text;
    vm.rebuild();
    const auto restored = restore({"", true}, vm.context());
    ASSERT_TRUE(restored && restored->size() == 1) << length;
    const auto& one = restored->front();
    const bool first_line = length < text.find('\n');
    EXPECT_EQ(first_line, !one.unknown.empty()) << length;
    const bool owns_id = has_begun(StepKind::add_class_id, name, cut_text);
    const bool id_lost = GetParam().id_before && owns_id && length < end_of_id_line;
    EXPECT_EQ(one.is_complete(), !first_line && !id_lost) << length;
    if (!has_begun(StepKind::reserve_hugepages, name, cut_text)) vm.state.pools = pools;
    if (!owns_id) vm.state.ids = ids;
    if (one.is_complete()) {
      EXPECT_EQ(vm.dump(), before) << length;
    }
    // Changes that sysfs shows are reverted in any case.
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc") << length;
    EXPECT_EQ(vm.state.channels[1].overridden, "") << length;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Methods,
                         Faults,
                         ::testing::Values(Case{"DriverOverride", Method::automatic, false, 0},
                                           Case{"NewId", Method::new_id, false, 1},
                                           Case{"NewIdAddedByOthers", Method::new_id, true, 2}),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace manactl::setup::faults_test
