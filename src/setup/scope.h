// SPDX-License-Identifier: MIT
//
// Moves this process into a transient scope of systemd. Unlike a transient service, a scope takes
// a process that already runs, so that manactl need not start itself again.

#pragma once

#include <string>

#include "os/files.h"
#include "setup/clock.h"

namespace manactl::setup {

// Moves this process from the cgroup of its login session to the unit `name` ("a.scope") of
// system.slice: systemd-logind kills the processes of a session at its end if KillUserProcesses=yes
// (logind.conf(5)). Does nothing where systemd does not run. The name consists of letters, digits,
// ':', '.' and '-', and is not in use. Waits at most ten seconds.
Result<> enter_scope(const std::string& name,
                     const std::string& description,
                     const os::Files& files,
                     Clock& clock);

}  // namespace manactl::setup
