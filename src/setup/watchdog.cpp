// SPDX-License-Identifier: MIT

#include "setup/watchdog.h"

#include <algorithm>
#include <optional>

#include "base/text.h"
#include "setup/lock.h"

namespace manactl::setup {
namespace {

using std::chrono::milliseconds;

// An error, such as a journal that cannot be read, does not mean that the entry was closed.
// The entry of a later run of the same NIC belongs to another watchdog, or to none.
Result<std::optional<Entry>> find_entry(const Journal& journal, const WatchdogTask& task) {
  auto entries = journal.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto found = std::ranges::find_if(*entries, [&](const Entry& entry) {
    return entry.id == task.id && (!entry.is_readable() || entry.watchdog == task.stamp);
  });
  return found == entries->end() ? std::optional<Entry>() : std::optional(std::move(*found));
}

bool is_confirmed(const Entry& entry) {
  return entry.is_readable() && entry.confirmed;
}

// An error means that the restore must be repeated.
Result<WatchdogOutcome> restore_once(const WatchdogTask& task, const SetupContext& context) {
  const auto lock = take_lock(context.lock_file, "watchdog of " + task.id);
  if (!lock) return tl::unexpected<Error>(lock.error());
  const auto entry = find_entry(context.journal, task);
  if (!entry) return tl::unexpected<Error>(entry.error());
  if (!*entry) return WatchdogOutcome::closed;
  if (is_confirmed(**entry)) return WatchdogOutcome::confirmed;
  const auto restored = restore_entry(**entry, context, false);
  for (const auto& one : restored.reverted) {
    if (!one.succeeded()) return because(one.result.error(), one.title);
  }
  for (const auto& one : restored.reverted) {
    for (const auto& note : one.notes) task.report(fmt::format("{}: {}", task.id, note));
  }
  for (const auto& interface : restored.renamed) {
    task.report(fmt::format("{}: {}", task.id, text_of(interface)));
  }
  // The disk may return, or another version may read the entry. A damaged one stays damaged.
  const bool may_become_readable = !(*entry)->is_readable() && !(*entry)->damaged;
  if (may_become_readable) return fail(Errc::io, (*entry)->read_error);
  return restored.is_complete() ? WatchdogOutcome::restored : WatchdogOutcome::partly_restored;
}

WatchdogOutcome restore_unconfirmed(const WatchdogTask& task, const SetupContext& context) {
  // The first attempts may find the lock of the process that the watchdog has just killed.
  constexpr milliseconds kFirstPause{10}, kLongestPause{30000};
  std::string reported;
  for (auto pause = kFirstPause;; pause = std::min(2 * pause, kLongestPause)) {
    const auto outcome = restore_once(task, context);
    if (outcome) return *outcome;
    const auto& reason = outcome.error().message;
    if (reason != reported) {
      task.report(
          fmt::format("{} is not confirmed and cannot be restored yet: {}", task.id, reason));
    }
    reported = reason;
    context.clock.pause(pause);
  }
}

// Fields of /proc/PID/stat. Empty if there is no such process, or if it is a zombie.
struct ProcessStatus {
  std::string state, started;
};

ProcessStatus process_status(unsigned pid, const os::Files& files) {
  // Indexes of the fields after the program name, which may contain any character. The first of
  // them is field 3 of proc(5).
  constexpr std::size_t kState = 0, kStart = 19;
  const auto text = files.read(fmt::format("proc/{}/stat", pid));
  const auto close = text ? text->rfind(')') : std::string::npos;
  if (close == std::string::npos) return {};
  const auto fields = words(std::string_view(*text).substr(close + 1));
  if (fields.size() <= kStart || fields[kState] == "Z" || fields[kState] == "X") return {};
  return {std::string(fields[kState]), std::string(fields[kStart])};
}

std::string stamp_of(unsigned pid, const ProcessStatus& process) {
  return process.started.empty() ? "" : fmt::format("{} {}", pid, process.started);
}

}  // namespace

WatchdogOutcome run_watchdog(const WatchdogTask& task, const SetupContext& context) {
  constexpr milliseconds kInterval{500};
  auto& clock = context.clock;
  bool was_open = false;
  while (clock.now() < task.deadline && !task.must_end()) {
    const bool running = task.is_running();
    const auto entry = find_entry(context.journal, task);
    if (entry) {
      was_open = was_open || *entry;
      // While the caller runs, it may still open its entry.
      if (!*entry && (was_open || !running)) return WatchdogOutcome::closed;
      if (*entry && is_confirmed(**entry)) return WatchdogOutcome::confirmed;
    }
    clock.pause(std::min(kInterval, task.deadline - clock.now()));
  }
  if (task.is_running()) {
    // A caller that has finished its steps is about to end. A caller that hangs holds the lock, so
    // it is killed.
    constexpr milliseconds kGrace{2000};
    if (!wait_until(clock, kGrace, [&] { return !task.is_running(); })) task.kill();
  }
  return restore_unconfirmed(task, context);
}

std::string process_stamp(unsigned pid, const os::Files& files) {
  return stamp_of(pid, process_status(pid, files));
}

WatchdogState watchdog_state(const Entry& entry, const os::Files& files) {
  const auto pid = parse_unsigned(entry.watchdog.substr(0, entry.watchdog.find(' ')), INT32_MAX);
  if (!pid || !exists(files, "proc/self/stat")) return WatchdogState::unknown;
  const auto process = process_status(static_cast<unsigned>(*pid), files);
  if (stamp_of(static_cast<unsigned>(*pid), process) != entry.watchdog) return WatchdogState::dead;
  // "T" is stopped by a signal, "t" by a debugger: proc(5).
  const bool stopped = process.state == "T" || process.state == "t";
  return stopped ? WatchdogState::stopped : WatchdogState::alive;
}

}  // namespace manactl::setup
