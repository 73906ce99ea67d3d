// SPDX-License-Identifier: MIT
//
// Asks the system everything once. Never fails as a whole and changes nothing.

#pragma once

#include "host/facts.h"
#include "os/system.h"

namespace manactl::host {

Facts gather(const os::System& system, EmbeddedDpdk embedded);

}  // namespace manactl::host
