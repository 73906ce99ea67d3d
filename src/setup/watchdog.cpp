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

std::optional<Entry> entry_of(const Journal& journal, const std::string& id) {
  const auto entries = journal.entries();
  if (!entries) return std::nullopt;
  for (const auto& entry : *entries) {
    if (entry.id == id) return entry;
  }
  return std::nullopt;
}

Watched take_back(const std::string& id, const Session& session) {
  constexpr milliseconds kPatience{120000};
  std::unique_ptr<Lock> lock;
  (void)wait_until(session.machine.clock, kPatience, [&] {
    auto taken = take_lock(session.lock, "watchdog of " + id);
    if (taken) lock = std::move(*taken);
    return lock != nullptr;
  });
  if (!lock) return Watched::failed;
  const auto entry = entry_of(session.journal, id);
  if (!entry) return Watched::closed;
  if (entry->unreadable.empty() && entry->confirmed) return Watched::confirmed;
  return restore_entry(*entry, session, false).is_complete() ? Watched::restored : Watched::failed;
}

void report(Watched end, const std::string& id) {
  openlog("manactl", LOG_PID, LOG_DAEMON);
  if (end == Watched::restored) {
    syslog(LOG_WARNING, "%s was not confirmed in time and is restored", id.c_str());
  }
  if (end == Watched::failed) {
    syslog(
        LOG_ERR, "%s was not confirmed in time; run 'manactl restore %s'", id.c_str(), id.c_str());
  }
}

// Nothing of the caller is kept: its terminal may hang up, its directory may go away.
bool leave_caller() {
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

[[noreturn]] void be_watchdog(
    Watch what, const Session& session, Lock& held, int caller, int ready) {
  held.let_go_in_child();
  what.runs = [caller] {
    pollfd ended{caller, POLLIN, 0};
    return poll(&ended, 1, 0) == 0;
  };
  what.stop = [caller] { (void)syscall(SYS_pidfd_send_signal, caller, SIGKILL, nullptr, 0); };
  if (fork() != 0) _exit(0);
  const pid_t own = getpid();
  if (!leave_caller() || write(ready, &own, sizeof own) != sizeof own) _exit(1);
  close(ready);
  const auto end = watch(what, session);
  report(end, what.id);
  _exit(end == Watched::failed ? 1 : 0);
}

}  // namespace

Watched watch(const Watch& watch, const Session& session) {
  constexpr milliseconds kLook{500};
  auto& clock = session.machine.clock;
  bool seen = false;
  while (clock.now() < watch.deadline) {
    const bool runs = watch.runs();
    const auto entry = entry_of(session.journal, watch.id);
    seen = seen || entry;
    // Before the run has opened its entry there is none, and that is no end.
    if (!entry && (seen || !runs)) return Watched::closed;
    if (entry && entry->unreadable.empty() && entry->confirmed) return Watched::confirmed;
    clock.pause(std::min(kLook, watch.deadline - clock.now()));
  }
  if (watch.runs()) {
    // A run that prepared in time has ended or is about to; one that hangs holds the lock.
    constexpr milliseconds kLastWords{2000};
    if (!wait_until(clock, kLastWords, [&] { return !watch.runs(); })) watch.stop();
  }
  return take_back(watch.id, session);
}

std::string mark_of(unsigned pid, const os::Files& files) {
  constexpr std::size_t kState = 0, kStart = 19;  // after the name, which may hold anything
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
  const bool same = mark_of(static_cast<unsigned>(*pid), files) == entry.watchdog;
  return same ? WatchdogState::alive : WatchdogState::dead;
}

Result<std::string> start_watchdog(const std::string& id,
                                   milliseconds deadline,
                                   const Session& session,
                                   Lock& held) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return fail_errno(errno, "cannot start the watchdog");
  os::Descriptor from(ends[0]);
  os::Descriptor to(ends[1]);
  const os::Descriptor caller(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!caller) return fail_errno(errno, "cannot start the watchdog");
  const pid_t child = fork();
  if (child < 0) return fail_errno(errno, "cannot start the watchdog");
  if (child == 0) be_watchdog({id, deadline, {}, {}}, session, held, caller.get(), to.get());
  to = os::Descriptor();
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  pid_t watchdog = 0;
  if (read(from.get(), &watchdog, sizeof watchdog) != sizeof watchdog) {
    return fail(Errc::io, "the watchdog did not start");
  }
  return mark_of(static_cast<unsigned>(watchdog), session.machine.system.files);
}

}  // namespace manactl::setup
