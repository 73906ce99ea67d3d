// SPDX-License-Identifier: MIT

#include "setup/scope.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "os/memory_files.h"
#include "setup/process_calls.h"

namespace manactl::setup::scope_test {
namespace {

using test::Exec;

// A machine with systemd, whose busctl does what a test selects.
class EnterScope : public ::testing::Test {
 protected:
  EnterScope() { files_.add_directory("run/systemd/system"); }

  ~EnterScope() override { test::exec_action = Exec::fail; }

  Error error_with(Exec action) {
    test::exec_action = action;
    const auto entered = enter_scope("a.scope", "a test", files_, *clock_);
    return entered ? Error{Errc::io, 0, ""} : entered.error();
  }

  os::MemoryFiles files_;
  std::unique_ptr<Clock> clock_ = make_counting_clock();
};

// tests/security/watchdog_test.py calls it with a busctl of its own.
TEST_F(EnterScope, DoesNothingWhereSystemdDoesNotRun) {
  const os::MemoryFiles files;
  EXPECT_TRUE(enter_scope("a.scope", "a test", files, *clock_));
  EXPECT_EQ(clock_->now().count(), 0);
}

TEST_F(EnterScope, CallsSystemdWithoutEnvironmentAndBlockedSignals) {
  sigset_t one{};
  sigset_t before{};
  sigemptyset(&one);
  sigaddset(&one, SIGUSR1);
  sigprocmask(SIG_BLOCK, &one, &before);
  EXPECT_EQ(error_with(Exec::describe).message,
            fmt::format("/usr/bin/busctl: /usr/bin/busctl|call|org.freedesktop.systemd1|"
                        "/org/freedesktop/systemd1|org.freedesktop.systemd1.Manager|"
                        "StartTransientUnit|ssa(sv)a(sa(sv))|a.scope|fail|3|Description|s|a test|"
                        "PIDs|au|1|{}|CollectMode|s|inactive-or-failed|0| environment: empty, "
                        "signals: none blocked",
                        getpid()));
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

TEST_F(EnterScope, WaitsUntilSystemdHasMovedTheProcess) {
  for (const char* cgroup :
       {"0::/system.slice/a.scope\n", "2:cpu:/\n1:name=systemd:/x/a.scope\n"}) {
    files_.add_file("proc/self/cgroup", cgroup);
    EXPECT_EQ(error_with(Exec::reply).message, "");
    EXPECT_EQ(clock_->now().count(), 0);
  }
  files_.add_file("proc/self/cgroup", "0::/system.slice/other-a.scope\n");
  const auto error = error_with(Exec::reply);
  EXPECT_EQ(error.code, Errc::timeout);
  EXPECT_EQ(error.message, fmt::format("systemd did not move process {} to 'a.scope'", getpid()));
  EXPECT_EQ(clock_->now(), std::chrono::seconds(5));
}

TEST_F(EnterScope, ReportsThatBusctlCannotBeUsed) {
  files_.add_file("proc/self/cgroup", "0::/system.slice/a.scope\n");
  EXPECT_EQ(error_with(Exec::fail).message,
            "cannot run '/usr/bin/busctl': No such file or directory");
  EXPECT_EQ(error_with(Exec::flood).code, Errc::io);
}

}  // namespace
}  // namespace manactl::setup::scope_test
