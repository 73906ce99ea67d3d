// SPDX-License-Identifier: MIT

#include "setup/watchdog.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <optional>

#include "base/text.h"
#include "os/owned.h"
#include "setup/lock.h"

namespace manactl::setup {
namespace {

using std::chrono::milliseconds;

std::optional<Entry> find_entry(const Journal& journal, const std::string& id) {
  const auto entries = journal.entries();
  if (!entries) return std::nullopt;
  for (const auto& entry : *entries) {
    if (entry.id == id) return entry;
  }
  return std::nullopt;
}

WatchdogOutcome restore_unconfirmed(const std::string& id, const SetupContext& context) {
  constexpr milliseconds kLockTimeout{120000};
  std::unique_ptr<Lock> lock;
  (void)wait_until(context.clock, kLockTimeout, [&] {
    auto taken = take_lock(context.lock_file, "watchdog of " + id);
    if (taken) lock = std::move(*taken);
    return lock != nullptr;
  });
  if (!lock) return WatchdogOutcome::failed;
  const auto entry = find_entry(context.journal, id);
  if (!entry) return WatchdogOutcome::closed;
  if (entry->is_readable() && entry->confirmed) return WatchdogOutcome::confirmed;
  return restore_entry(*entry, context, false).is_complete() ? WatchdogOutcome::restored
                                                             : WatchdogOutcome::failed;
}

void log_outcome(WatchdogOutcome outcome, const std::string& id) {
  openlog("manactl", LOG_PID, LOG_DAEMON);
  if (outcome == WatchdogOutcome::restored) {
    syslog(LOG_WARNING, "%s was not confirmed in time and has been restored", id.c_str());
  }
  if (outcome == WatchdogOutcome::failed) {
    syslog(LOG_ERR,
           "%s was not confirmed in time and could not be restored; run 'manactl restore %s'",
           id.c_str(),
           id.c_str());
  }
}

// Detaches from the caller's session, terminal, directory and signal mask.
bool detach() {
  if (setsid() < 0 || chdir("/") != 0) return false;
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (null < 0) return false;
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (dup2(null, number) < 0) return false;
  }

  struct sigaction ignore {};

  ignore.sa_handler = SIG_IGN;
  sigaction(SIGHUP, &ignore, nullptr);
  sigaction(SIGINT, &ignore, nullptr);
  sigaction(SIGPIPE, &ignore, nullptr);
  sigset_t none{};
  sigemptyset(&none);
  return sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
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
  if (fork() != 0) _exit(0);
  const pid_t own = getpid();
  if (!detach() || write(ready, &own, sizeof own) != sizeof own) _exit(1);
  close(ready);
  const auto outcome = run_watchdog(task, context);
  log_outcome(outcome, task.id);
  _exit(outcome == WatchdogOutcome::failed ? 1 : 0);
}

}  // namespace

WatchdogOutcome run_watchdog(const WatchdogTask& task, const SetupContext& context) {
  constexpr milliseconds kInterval{500};
  auto& clock = context.clock;
  bool was_open = false;
  while (clock.now() < task.deadline) {
    const bool running = task.is_running();
    const auto entry = find_entry(context.journal, task.id);
    was_open = was_open || entry;
    // While the caller runs, it may still open its entry.
    if (!entry && (was_open || !running)) return WatchdogOutcome::closed;
    if (entry && entry->is_readable() && entry->confirmed) return WatchdogOutcome::confirmed;
    clock.pause(std::min(kInterval, task.deadline - clock.now()));
  }
  if (task.is_running()) {
    // A caller that has finished its steps is about to end. A caller that hangs holds the lock, so
    // it is killed.
    constexpr milliseconds kGrace{2000};
    if (!wait_until(clock, kGrace, [&] { return !task.is_running(); })) task.kill();
  }
  return restore_unconfirmed(task.id, context);
}

std::string process_stamp(unsigned pid, const os::Files& files) {
  // Indexes of the fields after the program name, which may contain any character. The first of
  // them is field 3 of proc(5).
  constexpr std::size_t kState = 0, kStart = 19;
  const auto text = files.read(fmt::format("proc/{}/stat", pid));
  const auto close = text ? text->rfind(')') : std::string::npos;
  if (close == std::string::npos) return {};
  const auto fields = words(std::string_view(*text).substr(close + 1));
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return {};
  return fmt::format("{} {}", pid, fields[kStart]);
}

WatchdogState watchdog_state(const Entry& entry, const os::Files& files) {
  const auto pid = parse_unsigned(entry.watchdog.substr(0, entry.watchdog.find(' ')), INT32_MAX);
  if (!pid || !exists(files, "proc/self/stat")) return WatchdogState::unknown;
  const bool same = process_stamp(static_cast<unsigned>(*pid), files) == entry.watchdog;
  return same ? WatchdogState::alive : WatchdogState::dead;
}

Result<std::string> start_watchdog(const std::string& id,
                                   milliseconds deadline,
                                   const SetupContext& context,
                                   Lock& held) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot start the watchdog");
  os::Descriptor from(ends[0]);
  os::Descriptor to(ends[1]);
  const os::Descriptor caller(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!caller) return fail_errno(errno, "cannot start the watchdog");
  const pid_t child = fork();
  if (child < 0) return fail_errno(errno, "cannot start the watchdog");
  if (child == 0) run_child({id, deadline, {}, {}}, context, held, caller.get(), to.get());
  to = os::Descriptor();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  pid_t watchdog = 0;
  if (read(from.get(), &watchdog, sizeof watchdog) != sizeof watchdog) {
    return fail(Errc::io, "the watchdog did not start");
  }
  return process_stamp(static_cast<unsigned>(watchdog), context.system.files);
}

}  // namespace manactl::setup
