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
    const auto unconfirmed = [](Entry& entry, Lock& /*lock*/) -> Result<> {
      entry.confirmed = false;
      return {};
    };
    ASSERT_EQ(prepare(request, vm_.context(), unconfirmed)->outcome, PrepareOutcome::done);
  }

  WatchdogOutcome watch_for(int seconds) {
    return run_watchdog({kEth1,
                         vm_.context().clock.now() + std::chrono::seconds(seconds),
                         [] { return false; },
                         [] {}},
                        vm_.context());
  }

  FakeVm vm_;
  std::string before_;
};

TEST_F(Watchdog, RestoresAnUnconfirmedNic) {
  EXPECT_EQ(watch_for(60), WatchdogOutcome::restored);
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, RestoresANicThatAProcessUses) {
  // The watchdog restores even a NIC that is in use, because the administrator may have lost the
  // connection.
  vm_.processes = {{4711, "dpdk-testpmd", "/dev/uio0"}};
  vm_.rebuild();
  EXPECT_EQ(watch_for(60), WatchdogOutcome::restored);
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, EndsWhenTheNicIsConfirmed) {
  EXPECT_EQ(confirm(vm_.context())->size(), 1U);
  const auto prepared = vm_.dump();
  EXPECT_EQ(watch_for(60), WatchdogOutcome::confirmed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, AcceptsAConfirmationAtTheDeadline) {
  const auto prepared = vm_.dump();
  const auto deadline = vm_.context().clock.now() + std::chrono::seconds(60);
  const auto confirm_late = [&] {
    if (vm_.context().clock.now() >= deadline) {
      EXPECT_TRUE(vm_.journal().confirm(kEth1));
    }
    return false;
  };
  EXPECT_EQ(run_watchdog({kEth1, deadline, confirm_late, [] {}}, vm_.context()),
            WatchdogOutcome::confirmed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, EndsWhenTheNicIsRestored) {
  ASSERT_TRUE(restore({"eth1"}, vm_.context()));
  EXPECT_EQ(watch_for(60), WatchdogOutcome::closed);
}

// Simulates a run that hangs: the test kills it, but is_running() still returns true.
TEST(RunWatchdog, KillsARunThatHangsAtAnyChange) {
  Request request;
  request.interface = *InterfaceName::parse("eth1");
  request.hugepages = HugepageRequest{100, 0, 0, {}};
  const auto unconfirmed = [](Entry& entry, Lock& /*lock*/) -> Result<> {
    entry.confirmed = false;
    return {};
  };
  FakeVm reference;
  ASSERT_TRUE(prepare(request, reference.context(), unconfirmed));
  const unsigned all = reference.changes();
  for (const auto fault : {test::Fault::killed_before, test::Fault::killed_after}) {
    for (unsigned at = 1; at <= all; ++at) {
      FakeVm vm;
      const auto before = vm.dump();
      vm.fail_at(at, fault);
      EXPECT_THROW((void)prepare(request, vm.context(), unconfirmed), test::Killed) << at;
      const auto what = "hangs at " + vm.log().back();
      vm.fail_at(0, test::Fault::none);
      bool running = true;
      const auto outcome = run_watchdog({kEth1,
                                         vm.context().clock.now() + std::chrono::seconds(5),
                                         [&] { return running; },
                                         [&] { running = false; }},
                                        vm.context());
      EXPECT_FALSE(running) << what;
      const bool opened = at > 1 || fault == test::Fault::killed_after;
      EXPECT_EQ(outcome, opened ? WatchdogOutcome::restored : WatchdogOutcome::closed) << what;
      EXPECT_EQ(vm.dump(), before) << what;
      EXPECT_TRUE(vm.state.journal.empty()) << what;
    }
  }
}

TEST(WatchdogStateOf, IsAliveAsLongAsTheSameProcessRuns) {
  FakeVm vm;
  vm.processes = {{77, "a ) b", "", 1234}};
  vm.rebuild();
  const auto& files = vm.context().system.files;
  Entry entry;
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::unknown) << "an entry without a watchdog";
  entry.watchdog = process_stamp(77, files);
  EXPECT_EQ(entry.watchdog, "77 1234");
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::alive);
  vm.processes[0].state = 'Z';
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
  vm.processes[0] = {77, "bash", "", 99999};  // the PID was reused
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
  vm.processes.clear();
  vm.rebuild();
  EXPECT_EQ(watchdog_state(entry, files), WatchdogState::dead);
}

}  // namespace
}  // namespace manactl::setup
