// SPDX-License-Identifier: MIT
//
// Starts real watchdog processes for a VM in memory. A child of the test is the caller that
// prepares the NIC. The test controls the time of the watchdog, and reads its log from a pipe.

#include "setup/watchdog_process.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/text.h"
#include "setup/fake_vm.h"
#include "setup/process_calls.h"
#include "setup/watchdog.h"
#include "setup/watchdog_parts.h"

namespace manactl::setup::watchdog_process_test {
namespace {

using std::chrono::seconds;
using test::FakeVm;
using test::HeldClock;
using test::kInherited;
using test::kThisProcess;
using test::ProcessFiles;
using test::put;
using ::testing::HasSubstr;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }

  std::array<int, 2> ends{-1, -1};
};

class WatchdogProcess : public ::testing::Test {
 protected:
  void SetUp() override {
    Request request;
    request.interface = *InterfaceName::parse("eth1");
    const auto unconfirmed = [](Entry& entry, Lock& /*lock*/) -> Result<> {
      entry.confirmed = false;
      return {};
    };
    ASSERT_EQ(prepare(request, vm_.context(), unconfirmed)->outcome, PrepareOutcome::done);
    const auto own = vm_.context();
    const auto& system = own.system;
    context_.emplace(SetupContext{{{files_,
                                    system.links,
                                    system.ethtool,
                                    system.rdma,
                                    system.verbs,
                                    system.devices,
                                    system.modules,
                                    system.process,
                                    system.sockets,
                                    system.kernel_log},
                                   clock_},
                                  own.journal,
                                  own.lock_file,
                                  own.command,
                                  {},
                                  own.persistence});
    files_.on_start = [this] { record_watchdog(); };
  }

  // prepare() ran before the watchdog started, so its entry does not name the watchdog. Runs in the
  // watchdog process.
  void record_watchdog() {
    auto entry = context_->journal.entries()->front();
    if (!entry.is_readable()) return;
    entry.watchdog = process_stamp(static_cast<unsigned>(getpid()), files_);
    EXPECT_TRUE(context_->journal.create(entry));
    EXPECT_TRUE(context_->journal.mark_ready(entry.id));
  }

  ~WatchdogProcess() override {
    test::exec_action = test::Exec::fail;
    for (const auto* pipe : {&log_, &gate_}) {
      for (const int fd : pipe->ends) close(fd);
    }
  }

  // Starts a watchdog from a child, which then calls `last` and ends. The child reports the result.
  void start(seconds deadline, const std::function<void()>& last = [] {}) {
    caller_ = fork();
    if (caller_ != 0) return;
    alarm(60);  // if the watchdog does not kill it
    close(gate_.ends[1]);
    test::log_descriptor = log_.ends[1];
    for (const auto resource : {RLIMIT_CPU, RLIMIT_FSIZE}) {
      rlimit limit{};
      getrlimit(resource, &limit);
      limit.rlim_cur = 100000;
      setrlimit(resource, &limit);
    }
    dup3(log_.ends[1], kThisProcess, O_CLOEXEC);
    dup2(log_.ends[1], kInherited);
    rlimit few{};
    getrlimit(RLIMIT_NOFILE, &few);
    few.rlim_cur = kThisProcess + 1;
    setrlimit(RLIMIT_NOFILE, &few);
    const auto lock = take_lock(context_->lock_file, "test");
    const auto started = start_watchdog(kEth1, deadline, *context_, **lock);
    put(log_.ends[1], "started " + (started ? *started : started.error().message) + "\n");
    last();
    _exit(0);
  }

  // Lets time pass, and returns the log when the watchdog has ended.
  std::string finish() {
    close(std::exchange(gate_.ends[1], -1));
    close(std::exchange(log_.ends[1], -1));
    std::string text = std::exchange(read_, "");
    std::array<char, 4096> part{};
    for (ssize_t got = 0; (got = read(log_.ends[0], part.data(), part.size())) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

  // Reads the log until the watchdog has started, and returns its PID.
  pid_t started() {
    const auto at = read_until("started ");
    return at == std::string::npos ? 0 : std::atoi(read_.c_str() + at + 8);
  }

  // Reads the log until a line contains `text`, and returns its position in read_; npos at the end
  // of the log.
  std::size_t read_until(std::string_view text) {
    char one = 0;
    while (read(log_.ends[0], &one, 1) == 1) {
      read_ += one;
      const auto at = read_.find(text);
      if (one == '\n' && at != std::string::npos) return at;
    }
    return std::string::npos;
  }

  int status_of_caller() const {
    int status = -1;
    EXPECT_EQ(waitpid(caller_, &status, 0), caller_);
    return status;
  }

  FakeVm vm_;
  Pipe log_, gate_;
  ProcessFiles files_{vm_.context().system.files, log_.ends[1]};
  HeldClock clock_{vm_.context().clock, gate_.ends[0]};
  std::optional<SetupContext> context_;
  pid_t caller_ = 0;
  std::string read_;
};

std::string line(int priority, const std::string& text) {
  return fmt::format("manactl {} {}\n", LOG_DAEMON | priority, text);
}

TEST_F(WatchdogProcess, LeavesTheSessionOfItsCaller) {
  start(seconds(3600));
  const pid_t watchdog = started();
  ASSERT_GT(watchdog, 0);
  EXPECT_NE(watchdog, caller_);
  EXPECT_THAT(read_,
              HasSubstr(fmt::format("started {} {}",
                                    watchdog,
                                    process_stamp(static_cast<unsigned>(watchdog), files_)
                                        .substr(std::to_string(watchdog).size() + 1))));
  EXPECT_EQ(status_of_caller(), 0);
  const auto pipe = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", log_.ends[0]));
  ASSERT_EQ(kill(watchdog, SIGTERM), 0);
  const auto text = finish();
  EXPECT_THAT(text,
              HasSubstr(fmt::format(
                  "oom_score_adj -1000, blocked: {} {} {} {} {}, own session, in /, umask 77, no "
                  "environment, 0: /dev/null, 1: /dev/null, 2: /dev/null, 50: closed, 51: {}, CPU: "
                  "hard limit, files: hard limit, core: 0, descriptors: 1024\n",
                  SIGHUP,
                  SIGTERM,
                  SIGXFSZ,
                  SIGTSTP,
                  SIGRTMAX,
                  pipe.string())));
  EXPECT_THAT(text,
              HasSubstr(line(LOG_WARNING,
                             std::string(kEth1) + " was not confirmed and has been restored")));
}

TEST_F(WatchdogProcess, KillsACallerThatHangs) {
  start(seconds(60), [] {
    for (;;) pause();
  });
  ASSERT_GT(started(), 0);
  const auto text = finish();
  const int status = status_of_caller();
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT_THAT(text, HasSubstr(" was not confirmed and has been restored\n"));
}

TEST_F(WatchdogProcess, RestoresAlthoughNobodyReadsTheSystemLog) {
  test::log_blocks = true;
  files_.has_systemd = true;  // but systemd does not reply, which the watchdog logs
  vm_.after = [&](const std::string& what) { put(log_.ends[1], "did " + what + "\n"); };
  start(seconds(0));
  test::log_blocks = false;
  EXPECT_EQ(status_of_caller(), 0);
  close(std::exchange(gate_.ends[1], -1));
  close(std::exchange(log_.ends[1], -1));
  EXPECT_NE(read_until("did journal close"), std::string::npos);
}

TEST_F(WatchdogProcess, ReportsSettingsThatAreLost) {
  vm_.state.journal.begin()->second = "damaged";
  start(seconds(0));
  EXPECT_EQ(status_of_caller(), 0);
  const auto text = finish();
  EXPECT_THAT(
      text,
      HasSubstr(line(LOG_ERR,
                     std::string(kEth1) +
                         " was not confirmed and has been restored, but some of its earlier "
                         "settings are unknown; check its addresses, routes and MTU")));
  EXPECT_EQ(text.find("has been restored\n"), std::string::npos);
}

TEST_F(WatchdogProcess, ReportsWhyItCannotRestore) {
  const auto unbind = fmt::format("echo {} > sys/bus/vmbus/drivers/uio_hv_generic/unbind", kEth1);
  vm_.refused[unbind] = EIO;
  int pauses = 0;
  clock_.after_pause = [&] {
    if (++pauses == 50) vm_.refused.clear();
  };
  start(seconds(0));
  EXPECT_EQ(status_of_caller(), 0);
  const auto text = finish();
  EXPECT_THAT(text,
              HasSubstr(line(LOG_ERR,
                             fmt::format("{} is not confirmed and cannot be restored yet: bind "
                                         "channel {} to uio_hv_generic: cannot {}: Input/output "
                                         "error",
                                         kEth1,
                                         kEth1,
                                         unbind))));
  EXPECT_THAT(text, HasSubstr(" was not confirmed and has been restored\n"));
}

TEST_F(WatchdogProcess, LogsNothingIfTheNicIsConfirmed) {
  ASSERT_TRUE(vm_.journal().confirm(kEth1));
  start(seconds(60));
  EXPECT_EQ(status_of_caller(), 0);
  const auto text = finish();
  EXPECT_EQ(text.find("manactl "), std::string::npos) << text;
}

TEST_F(WatchdogProcess, ReportsThatItStaysInTheLoginSession) {
  files_.has_systemd = true;
  test::exec_action = test::Exec::describe;
  start(seconds(3600));
  const pid_t watchdog = started();
  ASSERT_GT(watchdog, 0);
  EXPECT_EQ(status_of_caller(), 0);
  ASSERT_EQ(kill(watchdog, SIGTERM), 0);
  const auto text = finish();
  EXPECT_THAT(text,
              HasSubstr(fmt::format("{} the watchdog of {} stays in the login session, whose end "
                                    "may kill it: /usr/bin/busctl: ",
                                    LOG_DAEMON | LOG_WARNING,
                                    kEth1)));
  EXPECT_THAT(text,
              HasSubstr(fmt::format("|manactl-watchdog-{}-{}.scope|fail|3|Description|s|manactl: "
                                    "restores 000d3a76-3bd1-",
                                    kEth1,
                                    watchdog)));
}

TEST_F(WatchdogProcess, MayFailToStart) {
  files_.ends = true;
  start(seconds(0));
  EXPECT_EQ(status_of_caller(), 0);
  EXPECT_THAT(finish(), HasSubstr("started the watchdog did not start\n"));
}

TEST_F(WatchdogProcess, RequiresThreeDescriptors) {
  const auto lock = take_lock(context_->lock_file, "test");
  ASSERT_TRUE(lock);
  const int next = dup(0);  // the lowest free descriptor
  close(next);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  for (const int free : {0, 1, 2}) {
    const rlimit low{static_cast<rlim_t>(next + free), before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &low), 0);
    const auto started = start_watchdog(kEth1, seconds(0), *context_, **lock);
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
    ASSERT_FALSE(started);
    EXPECT_EQ(started.error().message, "cannot start the watchdog: Too many open files");
  }
}

}  // namespace
}  // namespace manactl::setup::watchdog_process_test
