// SPDX-License-Identifier: MIT

#include "setup/watchdog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "os/memory_files.h"
#include "setup/confirm.h"
#include "setup/fake_vm.h"

namespace manactl::setup::watchdog_test {
namespace {

using std::chrono::milliseconds;
using test::FakeVm;
using testing::ElementsAre;
using testing::HasSubstr;

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

  WatchdogTask task_for(int seconds) {
    return {kEth1,
            vm_.context().clock.now() + std::chrono::seconds(seconds),
            [] { return false; },
            [] {},
            [] { return false; },
            [this](const std::string& reason) { reports_.push_back(reason); }};
  }

  WatchdogOutcome watch_for(int seconds) { return run_watchdog(task_for(seconds), vm_.context()); }

  FakeVm vm_;
  std::string before_;
  std::vector<std::string> reports_;
};

// Calls a function when `time` has passed, and records the pauses.
class WatchedClock final : public Clock {
 public:
  WatchedClock(Clock& clock, milliseconds time, std::function<void()> event)
      : clock_(clock), at_(clock.now() + time), event_(std::move(event)) {}

  milliseconds now() const override { return clock_.now(); }

  void pause(milliseconds time) override {
    pauses.push_back(time);
    clock_.pause(time);
    if (event_ && now() >= at_) std::exchange(event_, nullptr)();
  }

  std::vector<milliseconds> pauses;

 private:
  Clock& clock_;
  milliseconds at_;
  std::function<void()> event_;
};

SetupContext context_with(const SetupContext& context, Clock& clock) {
  return {{context.system, clock},
          context.journal,
          context.lock_file,
          context.command,
          {},
          context.persistence};
}

TEST_F(Watchdog, RestoresAnUnconfirmedNic) {
  EXPECT_EQ(watch_for(60), WatchdogOutcome::restored);
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, ReportsTheNewNameOfAnInterface) {
  const std::string vf = "enP30832p0s0d1";
  ASSERT_NE(vm_.link(vf), nullptr);
  vm_.rename(vf, "vf1");
  vm_.rebuild();
  EXPECT_EQ(watch_for(60), WatchdogOutcome::restored);
  EXPECT_THAT(reports_, ElementsAre(HasSubstr("'" + vf + "' is now named 'vf1'")));
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
  EXPECT_EQ(confirm("", vm_.context()).value()->name, "eth1");
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
  auto task = task_for(60);
  task.is_running = confirm_late;
  EXPECT_EQ(run_watchdog(task, vm_.context()), WatchdogOutcome::confirmed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, EndsWhenTheNicIsRestored) {
  ASSERT_TRUE(restore({"eth1"}, vm_.context()));
  EXPECT_EQ(watch_for(60), WatchdogOutcome::closed);
}

// Someone restores and prepares the NIC again between two looks at the journal.
TEST_F(Watchdog, IgnoresALaterRunOfTheSameNic) {
  const auto prepared = vm_.dump();
  auto task = task_for(60);
  task.stamp = "4711 1";
  EXPECT_EQ(run_watchdog(task, vm_.context()), WatchdogOutcome::closed);
  EXPECT_EQ(vm_.dump(), prepared);
}

TEST_F(Watchdog, WaitsForTheLockUntilItIsFree) {
  auto lock = take_lock(vm_.context().lock_file, "prepare eth1");
  ASSERT_TRUE(lock);
  WatchedClock clock(vm_.context().clock, std::chrono::hours(24), [&] { lock->reset(); });
  EXPECT_EQ(run_watchdog(task_for(60), context_with(vm_.context(), clock)),
            WatchdogOutcome::restored);
  EXPECT_EQ(vm_.dump(), before_);
  ASSERT_EQ(reports_.size(), 1U) << "each reason is reported once";
  EXPECT_THAT(reports_[0], HasSubstr("manactl prepare eth1, since"));
}

TEST_F(Watchdog, RepeatsOnlyTheStepsThatFailed) {
  vm_.refused["ip eth1 route add 192.0.2.0/24"] = EIO;
  const auto administrator = [&] {
    vm_.refused.clear();
    for (auto& [index, link] : vm_.state.links) {
      if (link.name == "enP30832p0s0d1") link.flags = 0;
    }
  };
  WatchedClock clock(vm_.context().clock, std::chrono::minutes(5), administrator);
  EXPECT_EQ(run_watchdog(task_for(0), context_with(vm_.context(), clock)),
            WatchdogOutcome::restored);
  EXPECT_EQ(vm_.link("enP30832p0s0d1")->flags, 0U) << "the administrator has set it down";
  EXPECT_EQ(std::ranges::count(vm_.log(), "ip eth1 up"), 1);
}

TEST_F(Watchdog, RepeatsAFailedRestoreAtGrowingIntervals) {
  vm_.refused[fmt::format("echo {} > sys/bus/vmbus/drivers/uio_hv_generic/unbind", kEth1)] = EIO;
  WatchedClock clock(vm_.context().clock, std::chrono::hours(1), [&] { vm_.refused.clear(); });
  EXPECT_EQ(run_watchdog(task_for(0), context_with(vm_.context(), clock)),
            WatchdogOutcome::restored);
  EXPECT_EQ(vm_.dump(), before_);
  EXPECT_EQ(reports_.size(), 1U) << "each reason is reported once";
  EXPECT_EQ(*std::max_element(clock.pauses.begin(), clock.pauses.end()), milliseconds(30000));
}

TEST_F(Watchdog, EndsWhenTheUserConfirmsBetweenTwoAttempts) {
  vm_.refused[fmt::format("echo {} > sys/bus/vmbus/drivers/uio_hv_generic/unbind", kEth1)] = EIO;
  WatchedClock clock(vm_.context().clock, std::chrono::hours(1), [&] {
    EXPECT_TRUE(vm_.journal().confirm(kEth1));
  });
  EXPECT_EQ(run_watchdog(task_for(0), context_with(vm_.context(), clock)),
            WatchdogOutcome::confirmed);
}

TEST_F(Watchdog, RestoresAtOnceWhenItMustEnd) {
  auto task = task_for(3600);
  task.must_end = [] { return true; };
  const auto start = vm_.context().clock.now();
  EXPECT_EQ(run_watchdog(task, vm_.context()), WatchdogOutcome::restored);
  EXPECT_LT(vm_.context().clock.now() - start, std::chrono::seconds(60));
  EXPECT_EQ(vm_.dump(), before_);
}

TEST_F(Watchdog, KillsAHangingRunWhenItMustEnd) {
  auto task = task_for(3600);
  bool running = true;
  task.must_end = [] { return true; };
  task.is_running = [&] { return running; };
  task.kill = [&] { running = false; };
  const auto start = vm_.context().clock.now();
  EXPECT_EQ(run_watchdog(task, vm_.context()), WatchdogOutcome::restored);
  EXPECT_FALSE(running);
  EXPECT_LT(vm_.context().clock.now() - start, std::chrono::seconds(60));
}

TEST_F(Watchdog, PausesUntilTheDeadlineAndGivesTheCallerTwoSeconds) {
  WatchedClock clock(vm_.context().clock, std::chrono::hours(24), [] {});
  auto task = task_for(0);
  task.deadline += milliseconds(1200);
  std::optional<milliseconds> killed;
  task.is_running = [&] { return !killed; };
  task.kill = [&] { killed = clock.now(); };
  EXPECT_EQ(run_watchdog(task, context_with(vm_.context(), clock)), WatchdogOutcome::restored);
  ASSERT_TRUE(killed);
  EXPECT_EQ(*killed, task.deadline + milliseconds(2000));
  clock.pauses.resize(4);
  EXPECT_THAT(
      clock.pauses,
      ElementsAre(milliseconds(500), milliseconds(500), milliseconds(200), milliseconds(10)));
}

TEST_F(Watchdog, DoublesThePauseAfterAFailure) {
  vm_.refused[fmt::format("echo {} > sys/bus/vmbus/drivers/uio_hv_generic/unbind", kEth1)] = EIO;
  auto lock = take_lock(vm_.context().lock_file, "prepare eth1");
  WatchedClock clock(vm_.context().clock, std::chrono::minutes(2), [&] {
    vm_.refused.clear();
    lock->reset();
  });
  EXPECT_EQ(run_watchdog(task_for(0), context_with(vm_.context(), clock)),
            WatchdogOutcome::restored);
  std::vector<int> pauses;
  for (const auto pause : clock.pauses) pauses.push_back(static_cast<int>(pause.count()));
  pauses.resize(14);
  EXPECT_THAT(
      pauses,
      ElementsAre(10, 20, 40, 80, 160, 320, 640, 1280, 2560, 5120, 10240, 20480, 30000, 30000));
}

TEST_F(Watchdog, ReportsAnEntryThatMustStay) {
  const auto name = vm_.state.journal.begin()->first;
  const auto text = vm_.state.journal.begin()->second;
  auto later = *decode_line(text.substr(0, text.find('\n')));
  const auto at = later.find("\"version\":1");
  vm_.state.journal[name] = encode_line(later.replace(at, 11, "\"version\":2"));
  WatchedClock clock(
      vm_.context().clock, std::chrono::hours(1), [&] { vm_.state.journal.erase(name); });
  EXPECT_EQ(run_watchdog(task_for(0), context_with(vm_.context(), clock)), WatchdogOutcome::closed);
  ASSERT_EQ(reports_.size(), 1U);
  EXPECT_THAT(reports_[0], HasSubstr("another version of manactl wrote it"));
}

TEST_F(Watchdog, RestoresADamagedEntryPartly) {
  vm_.state.journal.begin()->second = "damaged";
  EXPECT_EQ(watch_for(60), WatchdogOutcome::partly_restored);
}

// The journal of another user cannot be read until its owner is corrected.
class UnreadableFiles final : public os::DurableDirectory {
 public:
  explicit UnreadableFiles(os::DurableDirectory& files) : files_(files) {}

  std::string path() const override { return files_.path(); }

  Result<std::vector<std::string>> list() const override {
    if (broken) return fail(Errc::denied, "the journal belongs to another user");
    return files_.list();
  }

  Result<std::string> read(std::string_view name) const override { return files_.read(name); }

  Result<> replace(std::string_view name, std::string_view text) override {
    return files_.replace(name, text);
  }

  Result<> append(std::string_view name, std::string_view text) override {
    return files_.append(name, text);
  }

  Result<> remove(std::string_view name) override { return files_.remove(name); }

  bool broken = true;

 private:
  os::DurableDirectory& files_;
};

TEST_F(Watchdog, DoesNotMistakeAnUnreadableJournalForAClosedEntry) {
  for (const int minutes : {0, 10}) {  // unreadable until the deadline, or longer
    UnreadableFiles files(vm_.durable());
    Journal journal(files);
    const auto saved = vm_.state;
    WatchedClock clock(
        vm_.context().clock, std::chrono::minutes(minutes), [&] { files.broken = false; });
    const auto context = vm_.context();
    EXPECT_EQ(
        run_watchdog(
            task_for(60),
            {{context.system, clock}, journal, context.lock_file, "", {}, context.persistence}),
        WatchdogOutcome::restored);
    EXPECT_EQ(vm_.dump(), before_);
    vm_.state = saved;
    vm_.rebuild();
  }
  EXPECT_THAT(
      reports_,
      ElementsAre(HasSubstr("cannot read the journal: the journal belongs to another user")));
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
                                         [&] { running = false; },
                                         [] { return false; },
                                         [](const std::string& /*reason*/) {}},
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
  for (const char stopped : {'T', 't'}) {
    vm.processes[0].state = stopped;
    vm.rebuild();
    EXPECT_EQ(watchdog_state(entry, files), WatchdogState::stopped);
  }
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

TEST(ProcessStamp, NeedsTheStartTime) {
  os::MemoryFiles files;
  std::string fields = "77 (bash) S";
  for (int field = 4; field < 22; ++field) fields += " 0";
  files.add_file("proc/77/stat", fields);
  EXPECT_EQ(process_stamp(77, files), "");
  files.add_file("proc/77/stat", fields + " 1234");
  EXPECT_EQ(process_stamp(77, files), "77 1234");
}

}  // namespace
}  // namespace manactl::setup::watchdog_test
