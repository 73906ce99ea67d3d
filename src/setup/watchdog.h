// SPDX-License-Identifier: MIT
//
// The watchdog of --confirm-timeout restores a NIC unless the user confirms in time. This file has
// its loop and reads its state; watchdog_process.h starts its process.

#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "base/enum_words.h"
#include "setup/restore.h"

namespace manactl::setup {

// "4711 8812345": a PID and the start time of its process, because PIDs are reused. Empty if there
// is no such process, or if it is a zombie.
std::string process_stamp(unsigned pid, const os::Files& files);

// A stopped watchdog lives but cannot act until a SIGCONT resumes it or its debugger detaches.
enum class WatchdogState { alive, stopped, dead, unknown };

inline constexpr EnumWords<WatchdogState, 4> kWatchdogStateWords{{
    {WatchdogState::alive, "alive"},
    {WatchdogState::stopped, "stopped"},
    {WatchdogState::dead, "dead"},
    {WatchdogState::unknown, "unknown"},
}};

// `unknown` if the entry has no watchdog, or if /proc cannot be read.
WatchdogState watchdog_state(const Entry& entry, const os::Files& files);

enum class WatchdogOutcome {
  confirmed,
  closed,
  restored,
  partly_restored,  // the journal entry was damaged, so some earlier settings are unknown
};

struct WatchdogTask {
  std::string id;                         // of the journal entry
  std::chrono::milliseconds deadline{0};  // in time of Clock (boot clock)
  std::function<bool()> is_running;       // whether the process that prepares the NIC still runs
  std::function<void()> kill;             // kills that process
  std::function<bool()> must_end;         // whether the watchdog should end: do not wait any longer
  // Reports why the NIC is not yet restored, and what differs when it is.
  std::function<void(const std::string&)> report;
  std::string stamp = {};  // process_stamp() of the watchdog: an entry of a later run has another
};

// The loop of the watchdog process. It returns when the entry is confirmed, closed or restored. It
// repeats a restore that fails until one of these is true.
WatchdogOutcome run_watchdog(const WatchdogTask& task, const SetupContext& context);

}  // namespace manactl::setup
