// SPDX-License-Identifier: MIT
//
// For --confirm-timeout: a process of its own that takes everything back unless somebody confirms.
// The caller, its terminal and its session may die; the watchdog does not.

#pragma once

#include <chrono>

#include "setup/restore.h"

namespace manactl::setup {

// Forks; returns mark_of() the watchdog when it watches. It looks for the entry `id`, ends when
// that is closed or confirmed, and at `deadline` (milliseconds since boot) restores it; a run that
// still hangs is killed first. `held` is the caller's lock, which the watchdog must not keep.
// Called before any change is made, and before threads are.
Result<std::string> start_watchdog(const std::string& id,
                                   std::chrono::milliseconds deadline,
                                   const Session& session,
                                   Lock& held);

// "4711 8812345": a process and when it started, because numbers are used again. Empty when there
// is no such process, or one that only waits to be buried.
std::string mark_of(unsigned pid, const os::Files& files);

enum class WatchdogState { alive, dead, unknown };

// Unknown for an entry that tells of none, and where there is no /proc.
WatchdogState watchdog_state(const Entry& entry, const os::Files& files);

enum class Watched { confirmed, closed, restored, failed };

// What the watchdog does, without the fork. `runs` tells whether the process that prepares is still
// there, `stop` ends it.
struct Watch {
  std::string id;
  std::chrono::milliseconds deadline{0};
  std::function<bool()> runs;
  std::function<void()> stop;
};

Watched watch(const Watch& watch, const Session& session);

}  // namespace manactl::setup
