// SPDX-License-Identifier: MIT
//
// For --confirm-timeout: a process of its own that takes everything back unless somebody confirms.
// The caller, its terminal and its session may die; the watchdog does not.

#pragma once

#include <chrono>

#include "setup/restore.h"

namespace manactl::setup {

// Forks; returns when the watchdog watches. It looks for the entry `id`, ends when that is closed
// or confirmed, and at `deadline` (milliseconds since boot) restores it; a run that still hangs is
// killed first. `held` is the caller's lock, which the watchdog must not keep. Called before any
// change is made, and before threads are.
Result<> start_watchdog(const std::string& id,
                        std::chrono::milliseconds deadline,
                        const Session& session,
                        Lock& held);

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
