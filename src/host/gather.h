// SPDX-License-Identifier: MIT
//
// Asks the system everything once. Never fails as a whole and changes nothing.

#pragma once

#include "host/facts.h"
#include "os/system.h"

namespace manactl::host {

// How hard to look for what a NIC carries. An SSH server that did not start us, on a port of its
// own, is only found by a look at every process.
enum class Look { usual, every_process };

Facts gather(const os::System& system, EmbeddedDpdk embedded, Look look = Look::usual);

}  // namespace manactl::host
