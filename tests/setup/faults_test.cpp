// SPDX-License-Identifier: MIT
//
// Every change of prepare and restore, refused or the last thing that happened: what was there
// before comes back, or it is said what nobody can know.

#include <gtest/gtest.h>

#include "setup/fake_vm.h"
#include "setup/restore.h"

namespace manactl::setup {
namespace {

using test::Died;
using test::FakeVm;
using test::Fault;

Request request_for(Method method) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{512, 0, 0, {}};
  request.mtu = 4000;
  request.method = method;
  return request;
}

struct Way {
  const char* name;
  Method method;
  bool id_before;  // somebody else announced the class earlier
};

class Faults : public ::testing::TestWithParam<Way> {
 protected:
  static void arrange(FakeVm& vm) {
    if (!GetParam().id_before) return;
    vm.state.modules.insert("uio_hv_generic");
    vm.state.ids.insert("f8615163-df3e-46c5-913f-f2d2f965ed0e");
    vm.rebuild();
  }

  static unsigned changes_of_prepare() {
    FakeVm vm;
    arrange(vm);
    EXPECT_TRUE(prepare(request_for(GetParam().method), vm.session()));
    return vm.changes();
  }

  // After a restore the machine is as before, or the answer tells what is not known.
  static void expect_restored(FakeVm& vm, const std::string& before, const std::string& what) {
    const auto restored = restore({"", true}, vm.session());
    ASSERT_TRUE(restored) << what << ": " << restored.error().message;
    bool complete = true;
    for (const auto& one : *restored) complete = complete && one.is_complete();
    if (complete) {
      EXPECT_EQ(vm.dump(), before) << what;
      return;
    }
    for (const auto& one : *restored) {
      bool said = !one.unknown.empty();
      for (const auto& undone : one.undone) said = said || !undone.result;
      EXPECT_TRUE(said) << what;
    }
  }
};

TEST_P(Faults, KilledAtAnyChangeRestoreBringsBackWhatWas) {
  const unsigned all = changes_of_prepare();
  ASSERT_GT(all, 20U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      EXPECT_THROW((void)prepare(request_for(GetParam().method), vm.session()), Died) << at;
      const auto what = "killed at " + vm.log().back();
      vm.fail_at(0, Fault::none);
      expect_restored(vm, before, what);
      const auto after = vm.dump();
      EXPECT_TRUE(restore({"", true}, vm.session()));
      EXPECT_EQ(vm.dump(), after) << "twice is harmless; " << what;
    }
  }
}

TEST_P(Faults, RefusedAtAnyChangePrepareGoesBackByItself) {
  const unsigned all = changes_of_prepare();
  for (const auto fault :
       {Fault::refused, Fault::failed_after, Fault::disk_full, Fault::disk_full_from}) {
    const bool disk = fault == Fault::disk_full || fault == Fault::disk_full_from;
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      arrange(vm);
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      const auto result = prepare(request_for(GetParam().method), vm.session());
      ASSERT_TRUE(result) << at << ": " << result.error().message;
      if (result->outcome == Outcome::done) {  // no disk was written to at this change
        EXPECT_TRUE(disk) << at;
        continue;
      }
      const std::string what = result->cause.message;
      // The kernel answers nothing wrong after it has taken an id, and EEXIST before.
      if (fault == Fault::failed_after && what.find("/new_id: ") != std::string::npos) continue;
      EXPECT_EQ(result->outcome, Outcome::rolled_back) << what;
      EXPECT_FALSE(what.empty());
      EXPECT_EQ(vm.dump(), before) << what;
      EXPECT_TRUE(vm.state.journal.empty()) << what;
    }
  }
}

TEST_P(Faults, RefusedAtEveryChangeFromAnyOnwardsTheRestIsNamedAndDoneLater) {
  const unsigned all = changes_of_prepare();
  unsigned failed = 0;
  for (unsigned at = 1; at <= all; ++at) {
    FakeVm vm;
    arrange(vm);
    const auto before = vm.dump();
    vm.fail_at(at, Fault::refused_from);
    const auto result = prepare(request_for(GetParam().method), vm.session());
    ASSERT_TRUE(result) << at << ": " << result.error().message;
    const std::string what = result->cause.message;
    ASSERT_NE(result->outcome, Outcome::done) << at;
    for (const auto& one : result->undone) {
      // What cannot be done by itself can be done by hand.
      EXPECT_EQ(one.result.has_value(), one.by_hand.empty()) << what << ": " << one.title;
    }
    if (result->outcome == Outcome::rolled_back) {
      EXPECT_EQ(vm.dump(), before) << what;
    } else {
      ++failed;
      EXPECT_FALSE(vm.state.journal.empty()) << what;
    }
    vm.fail_at(0, Fault::none);
    expect_restored(vm, before, what);
  }
  EXPECT_GT(failed, 10U);
}

TEST_P(Faults, KilledWithinRestoreAnotherRestoreGoesOn) {
  FakeVm first;
  arrange(first);
  const auto before = first.dump();
  ASSERT_TRUE(prepare(request_for(GetParam().method), first.session()));
  const auto prepared = first.state;
  first.fail_at(0, Fault::none);
  ASSERT_TRUE(restore({"eth1"}, first.session()));
  const unsigned all = first.changes();
  ASSERT_GT(all, 5U);
  for (const auto fault : {Fault::killed_before, Fault::killed_after, Fault::refused}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      vm.state = prepared;
      vm.rebuild();
      vm.fail_at(at, fault);
      try {
        (void)restore({"eth1"}, vm.session()).has_value();
      } catch (const Died&) {
        EXPECT_NE(fault, Fault::refused);
      }
      const auto what = "restore stopped at " + vm.log().back();
      vm.fail_at(0, Fault::none);
      expect_restored(vm, before, what);
    }
  }
}

TEST_P(Faults, AJournalCutAtAnyByteIsNeverTakenForNothingDone) {
  FakeVm vm;
  arrange(vm);
  const auto before = vm.dump();
  ASSERT_TRUE(prepare(request_for(GetParam().method), vm.session()));
  const auto prepared = vm.state;
  ASSERT_EQ(prepared.journal.size(), 1U);
  const auto name = prepared.journal.begin()->first;
  const auto whole = prepared.journal.begin()->second;
  for (std::size_t length = 0; length < whole.size(); ++length) {
    vm.state = prepared;
    vm.state.journal[name] = whole.substr(0, length);
    vm.rebuild();
    const auto restored = restore({"", true}, vm.session());
    ASSERT_TRUE(restored && restored->size() == 1) << length;
    const auto& one = restored->front();
    const bool first_line = length < whole.find('\n');
    EXPECT_EQ(first_line, !one.unknown.empty()) << length;
    if (one.is_complete()) {
      EXPECT_EQ(vm.dump(), before) << length;
    }
    // What the kernel itself shows is undone in any case.
    EXPECT_EQ(vm.state.channels[1].driver, "hv_netvsc") << length;
    EXPECT_EQ(vm.state.channels[1].overridden, "") << length;
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ways,
                         Faults,
                         ::testing::Values(Way{"DriverOverride", Method::automatic, false},
                                           Way{"NewId", Method::new_id, false},
                                           Way{"NewIdOfOthers", Method::new_id, true}),
                         [](const auto& way) { return way.param.name; });

}  // namespace
}  // namespace manactl::setup
