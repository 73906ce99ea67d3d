// SPDX-License-Identifier: MIT

#include "setup/watchdog_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include "base/text.h"
#include "os/owned.h"
#include "setup/limits.h"
#include "setup/scope.h"
#include "setup/watchdog.h"

namespace manactl::setup {
namespace {

// syslog(3) blocks while nobody reads /dev/log. A child therefore writes the message, for at most
// 30 s, and the watchdog does not wait for it.
void log(int priority, const std::string& message) {
  constexpr unsigned kTimeout = 30;
  if (fork() != 0) return;
  sigset_t none{};
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  alarm(kTimeout);
  syslog(LOG_DAEMON | priority, "%s", printable(message).c_str());
  _exit(0);
}

void log_outcome(WatchdogOutcome outcome, const std::string& id) {
  if (outcome == WatchdogOutcome::restored) {
    log(LOG_WARNING, id + " was not confirmed and has been restored");
  }
  if (outcome == WatchdogOutcome::partly_restored) {
    log(LOG_ERR,
        id + " was not confirmed and has been restored, but some of its earlier settings are "
             "unknown; check its addresses, routes and MTU");
  }
}

// Leaves the caller's session, terminal and directory.
bool detach() {
  setsid();  // cannot fail: a child of fork(2) does not lead a process group
  bool good = chdir("/") == 0;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    good = good && dup2(null, number) == number;
  }
  umask(S_IRWXG | S_IRWXO);
  return good && clearenv() == 0;  // NOLINT(concurrency-mt-unsafe): there is one thread
}

// Closes what the caller's parent left open, such as a pipe whose reader waits for its end.
// execve(2) leaves only descriptors without FD_CLOEXEC open, and manactl sets that flag on all of
// its own.
void close_inherited(const os::Files& files) {
  const auto names = files.list("proc/self/fd").value_or(std::vector<std::string>{});
  for (const auto& name : names) {
    const auto number = static_cast<int>(parse_unsigned(name, INT32_MAX).value_or(0));
    if (number > STDERR_FILENO && fcntl(number, F_GETFD) == 0) close(number);
  }
}

// Blocks all signals, so that none can end or stop the watchdog, not even SIGXFSZ and SIGXCPU. The
// loop accepts SIGTERM. Calls the kernel, because glibc's sigprocmask() does not block 32 and 33.
bool block_signals() {
  const auto all = ~std::uint64_t{0};
  return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, nullptr, sizeof all) == 0;
}

bool accept_sigterm() {
  sigset_t term{};
  sigemptyset(&term);
  sigaddset(&term, SIGTERM);
  const timespec no_wait{};
  return sigtimedwait(&term, nullptr, &no_wait) == SIGTERM;
}

// Lifts limits that would end the watchdog or its writes. All of this may fail in a container.
void lift_limits(os::Files& files) {
  for (const auto resource : {RLIMIT_CPU, RLIMIT_FSIZE, RLIMIT_AS, RLIMIT_DATA, RLIMIT_NPROC}) {
    raise_limit(resource);
  }
  constexpr rlim_t kDescriptors = 1024;  // RLIMIT_NOFILE cannot be removed
  raise_limit(RLIMIT_NOFILE, kDescriptors);
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  // -1000 exempts the process from the kernel's choice of victims when memory is short: proc(5).
  (void)files.write("proc/self/oom_score_adj", "-1000");
}

void leave_login_session(const std::string& id, const SetupContext& context) {
  const auto entered = enter_scope(fmt::format("manactl-watchdog-{}-{}.scope", id, getpid()),
                                   "manactl: restores " + id + " unless it is confirmed",
                                   context.system.files,
                                   context.clock);
  if (entered) return;
  log(LOG_WARNING,
      fmt::format("the watchdog of {} stays in the login session, whose end may kill it: {}",
                  id,
                  entered.error().message));
}

// Forks the watchdog from this child, which then exits. `caller` is a pidfd; the watchdog writes
// its PID to `ready`.
[[noreturn]] void run_child(
    WatchdogTask task, const SetupContext& context, Lock& held, int caller, int ready) {
  held.close_in_child();
  task.is_running = [caller] {
    pollfd ended{caller, POLLIN, 0};
    return poll(&ended, 1, 0) == 0;
  };
  task.kill = [caller] { (void)syscall(SYS_pidfd_send_signal, caller, SIGKILL, nullptr, 0); };
  task.must_end = accept_sigterm;
  task.report = [](const std::string& message) { log(LOG_ERR, message); };
  if (!block_signals() || fork() != 0) _exit(0);
  const pid_t own = getpid();
  task.stamp = process_stamp(static_cast<unsigned>(own), context.system.files);
  openlog("manactl", LOG_PID, LOG_DAEMON);
  close_inherited(context.system.files);
  if (!detach()) _exit(1);
  lift_limits(context.system.files);
  leave_login_session(task.id, context);
  if (write(ready, &own, sizeof own) != sizeof own) _exit(1);
  close(ready);
  log_outcome(run_watchdog(task, context), task.id);
  _exit(0);
}

}  // namespace

Result<std::string> start_watchdog(const std::string& id,
                                   std::chrono::milliseconds deadline,
                                   const SetupContext& context,
                                   Lock& held) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot start the watchdog");
  os::Descriptor from(ends[0]);
  os::Descriptor to(ends[1]);
  const os::Descriptor caller(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!caller) return fail_errno(errno, "cannot start the watchdog");
  const pid_t child = fork();
  if (child == -1) return fail_errno(errno, "cannot start the watchdog");
  if (child == 0) {
    WatchdogTask task;
    task.id = id;
    task.deadline = deadline;
    run_child(std::move(task), context, held, caller.get(), to.get());
  }
  to = os::Descriptor();
  while (waitpid(child, nullptr, 0) != child && errno == EINTR) {
  }
  pid_t watchdog = 0;
  if (read(from.get(), &watchdog, sizeof watchdog) != sizeof watchdog) {
    return fail(Errc::io, "the watchdog did not start");
  }
  return process_stamp(static_cast<unsigned>(watchdog), context.system.files);
}

Result<> await_confirmation(Entry& entry,
                            std::chrono::milliseconds time,
                            const SetupContext& context,
                            Lock& held) {
  const auto deadline = context.clock.now() + time;
  entry.confirmed = false;
  entry.deadline = deadline;
  auto watchdog = start_watchdog(entry.id, deadline, context, held);
  if (!watchdog) return tl::unexpected<Error>(watchdog.error());
  entry.watchdog = std::move(*watchdog);
  return {};
}

}  // namespace manactl::setup
