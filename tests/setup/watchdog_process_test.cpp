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

namespace manactl::setup::watchdog_process_test {
namespace {

using std::chrono::seconds;
using test::FakeVm;
using ::testing::HasSubstr;

constexpr const char* kEth1 = "000d3a76-3bd1-000d-3a76-3bd1000d3a76";
constexpr int kInherited = 50, kThisProcess = 51;  // descriptors without and with FD_CLOEXEC

struct Pipe {
  Pipe() { EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0); }

  std::array<int, 2> ends{-1, -1};
};

void put(int fd, const std::string& text) {
  if (write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) _exit(9);
}

std::string limit_of(__rlimit_resource resource) {
  rlimit limit{};
  getrlimit(resource, &limit);
  if (limit.rlim_cur == 0 && limit.rlim_max == 0) return "0";
  return limit.rlim_cur == limit.rlim_max ? "hard limit" : "lower than the hard limit";
}

// Describes the process that calls it.
std::string describe_process() {
  sigset_t blocked{};
  sigprocmask(SIG_SETMASK, nullptr, &blocked);
  std::string text = "blocked:";
  for (const int number : {SIGHUP, SIGTERM, SIGXFSZ, SIGTSTP, SIGRTMAX}) {
    if (sigismember(&blocked, number) == 1) text += fmt::format(" {}", number);
  }
  text += getsid(0) == getpid() ? ", own session" : ", session of the caller";
  text += ", in " + std::filesystem::current_path().string();
  text += fmt::format(", umask {:o}", umask(0));
  text += environ == nullptr || *environ == nullptr ? ", no environment" : ", environment";
  for (const int fd : {0, 1, 2, kInherited, kThisProcess}) {
    std::error_code missing;
    const auto target = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", fd), missing);
    text += fmt::format(", {}: {}", fd, missing ? "closed" : target.string());
  }
  text += ", CPU: " + limit_of(RLIMIT_CPU) + ", files: " + limit_of(RLIMIT_FSIZE) +
          ", core: " + limit_of(RLIMIT_CORE);
  return text;
}

// The files of the VM, but the processes of this machine.
class ProcessFiles final : public os::Files {
 public:
  ProcessFiles(os::Files& vm, int report) : vm_(vm), report_(report) {}

  Result<std::string> read(std::string_view path, std::size_t max) const override {
    if (!path.starts_with("proc/") || path.starts_with("proc/sys")) return vm_.read(path, max);
    std::ifstream file("/" + std::string(path));
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

  Result<std::string> link_target(std::string_view path) const override {
    return vm_.link_target(path);
  }

  Result<std::vector<std::string>> list(std::string_view dir) const override {
    if (dir != "proc/self/fd") return vm_.list(dir);
    if (ends) _exit(3);
    std::vector<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
      names.push_back(file.path().filename());
    }
    return names;
  }

  Result<os::Node> node(std::string_view path) const override {
    if (has_systemd && path == "run/systemd/system") return os::Node{};
    return vm_.node(path);
  }

  Result<> write(std::string_view path, std::string_view text) override {
    if (path != "proc/self/oom_score_adj") return vm_.write(path, text);
    put(report_, fmt::format("oom_score_adj {}, {}\n", text, describe_process()));
    return {};
  }

  bool ends = false;  // the watchdog process ends before it is ready
  bool has_systemd = false;

 private:
  os::Files& vm_;
  int report_;
};

// Each pause waits until the test closes the other end of a pipe, and then takes no time.
class HeldClock final : public Clock {
 public:
  HeldClock(Clock& clock, int gate) : clock_(clock), gate_(gate) {}

  std::chrono::milliseconds now() const override { return clock_.now(); }

  void pause(std::chrono::milliseconds time) override {
    char nothing = 0;
    while (read(gate_, &nothing, 1) > 0) {
    }
    clock_.pause(time);
    constexpr int kMaxPauses = 100'000;  // ends a watchdog that would never end, if a test fails
    if (++pauses_ > kMaxPauses) _exit(4);
    if (after_pause) after_pause();
  }

  std::function<void()> after_pause;

 private:
  Clock& clock_;
  int gate_;
  int pauses_ = 0;
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
                                  own.command});
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
    char one = 0;
    while (read(log_.ends[0], &one, 1) == 1) {
      read_ += one;
      const auto at = read_.find("started ");
      if (one == '\n' && at != std::string::npos) return std::atoi(read_.c_str() + at + 8);
    }
    return 0;
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
                  "hard limit, files: hard limit, core: 0\n",
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
