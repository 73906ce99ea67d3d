// SPDX-License-Identifier: MIT

#include "setup/watchdog.h"

#include <gtest/gtest.h>

#include "setup/fake_vm.h"

namespace manactl::setup {
namespace {

using test::FakeVm;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

class Watchdog : public ::testing::Test {
 protected:
  void SetUp() override {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    before_ = vm_.dump();
    const auto waits = [](Entry& entry, Lock& /*lock*/) -> Result<> {
      entry.confirmed = false;
      return {};
    };
    ASSERT_EQ(prepare(request, vm_.session(), waits)->outcome, Outcome::done);
  }

  Watched watch_for(int seconds) {
    return watch({kEth1,
                  vm_.machine().clock.now() + std::chrono::seconds(seconds),
                  [] { return false; },
                  [] {}},
                 vm_.session());
  }

  FakeVm vm_;
  std::string before_;
};

TEST_F(Watchdog, TakesBackWhatNobodyConfirmed) {
  EXPECT_EQ(watch_for(60), Watched::restored);
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, TakesItFromAProcessThatUsesIt) {
  // The administrator may have been cut off.
  vm_.processes = {{4711, "dpdk-testpmd", "/dev/uio0"}};
  vm_.rebuild();
  EXPECT_EQ(watch_for(60), Watched::restored);
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, EndsWhenItIsConfirmed) {
  EXPECT_EQ(confirm(vm_.session())->size(), 1U);
  const auto prepared = vm_.dump();
  EXPECT_EQ(watch_for(60), Watched::confirmed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, HearsAConfirmationAtTheLastMoment) {
  const auto prepared = vm_.dump();
  const auto deadline = vm_.machine().clock.now() + std::chrono::seconds(60);
  const auto confirms = [&] {
    if (vm_.machine().clock.now() >= deadline) {
      EXPECT_TRUE(vm_.journal().confirm(kEth1));
    }
    return false;
  };
  EXPECT_EQ(watch({kEth1, deadline, confirms, [] {}}, vm_.session()), Watched::confirmed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, EndsWhenItIsRestored) {
  ASSERT_TRUE(restore({"eth1"}, vm_.session()));
  EXPECT_EQ(watch_for(60), Watched::closed);
}

// What hangs never comes back: what its process does next it does dead.
TEST(Watchdogs, StopARunThatHangsAtAnyChange) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{100, 0, 0, {}};
  const auto waits = [](Entry& entry, Lock& /*lock*/) -> Result<> {
    entry.confirmed = false;
    return {};
  };
  FakeVm whole;
  ASSERT_TRUE(prepare(request, whole.session(), waits));
  const unsigned all = whole.changes();
  for (const auto fault : {test::Fault::killed_before, test::Fault::killed_after}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      EXPECT_THROW((void)prepare(request, vm.session(), waits), test::Died) << at;
      const auto what = "hangs at " + vm.log().back();
      vm.fail_at(0, test::Fault::none);
      bool runs = true;
      const auto end = watch({kEth1,
                              vm.machine().clock.now() + std::chrono::seconds(5),
                              [&] { return runs; },
                              [&] { runs = false; }},
                             vm.session());
      EXPECT_FALSE(runs) << what;
      const bool opened = at > 1 || fault == test::Fault::killed_after;
      EXPECT_EQ(end, opened ? Watched::restored : Watched::closed) << what;
      EXPECT_EQ(vm.dump(), before) << what;
      EXPECT_TRUE(vm.state.journal.empty()) << what;
    }
  }
}

TEST(Watchdogs, AreAliveAsLongAsTheSameProcessRuns) {
  FakeVm vm;
  vm.processes = {{77, "a ) b", "", 1234}};
  vm.rebuild();
  const auto& files = vm.machine().system.files;
  Entry entry;
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::unknown) << "an entry of an old version";
  entry.watchdog = mark_of(77, files);
  EXPECT_EQ(entry.watchdog, "77 1234");
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::alive);
  vm.processes[0].state = 'Z';
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
  vm.processes[0] = {77, "bash", "", 99999};  // the number was used again
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
  vm.processes.clear();
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
}

}  // namespace
}  // namespace manactl::setup
