// SPDX-License-Identifier: MIT
//
// Starts the watchdog of --confirm-timeout in a process that outlives the caller, its terminal and
// its login session, and inherits nothing from them that could end it.

#pragma once

#include <chrono>
#include <string>

#include "setup/lock.h"
#include "setup/prepare.h"

namespace manactl::setup {

// Forks the watchdog and returns its process_stamp() once it runs. The watchdog ends when the entry
// `id` is closed or confirmed. At `deadline` (boot clock), or when it receives SIGTERM, it kills
// the caller if that still runs, and restores the entry. `held` is the caller's lock, which the
// watchdog must not keep. Call it before the first change and before any thread starts.
Result<std::string> start_watchdog(const std::string& id,
                                   std::chrono::milliseconds deadline,
                                   const SetupContext& context,
                                   Lock& held);

// Starts the watchdog of `entry`, which is not in the journal yet, and records it in the entry:
// unless `manactl confirm` runs within `time`, it restores the entry.
Result<> await_confirmation(Entry& entry,
                            std::chrono::milliseconds time,
                            const SetupContext& context,
                            Lock& held);

}  // namespace manactl::setup
