// SPDX-License-Identifier: MIT
//
// The watchdog of --confirm-timeout: a separate process that restores a NIC unless the user
// confirms in time. It survives the caller, its terminal and its session.

#pragma once

#include <chrono>

#include "base/enum_words.h"
#include "setup/restore.h"

namespace manactl::setup {

// Forks the watchdog and returns its process_stamp() once it runs. The watchdog ends when the entry
// `id` is closed or confirmed. At `deadline` (boot clock) it kills the caller if that still runs,
// and restores the entry. `held` is the caller's lock, which the watchdog must not keep. Call it
// before the first change and before any thread starts.
Result<std::string> start_watchdog(const std::string& id,
                                   std::chrono::milliseconds deadline,
                                   const SetupContext& context,
                                   Lock& held);

// "4711 8812345": a PID and the start time of its process, because PIDs are reused. Empty if there
// is no such process, or if it is a zombie.
std::string process_stamp(unsigned pid, const os::Files& files);

enum class WatchdogState { alive, dead, unknown };

inline constexpr EnumWords<WatchdogState, 3> kWatchdogStateWords{{
    {WatchdogState::alive, "alive"},
    {WatchdogState::dead, "dead"},
    {WatchdogState::unknown, "unknown"},
}};

// `unknown` if the entry has no watchdog, or if /proc cannot be read.
WatchdogState watchdog_state(const Entry& entry, const os::Files& files);

enum class WatchdogOutcome { confirmed, closed, restored, failed };

struct WatchdogTask {
  std::string id;                         // of the journal entry
  std::chrono::milliseconds deadline{0};  // in time of Clock (boot clock)
  std::function<bool()> is_running;       // whether the caller of start_watchdog() still runs
  std::function<void()> kill;             // kills that caller
};

// The loop of the watchdog process.
WatchdogOutcome run_watchdog(const WatchdogTask& task, const SetupContext& context);

}  // namespace manactl::setup
