// SPDX-License-Identifier: MIT
//
// What must not be touched: the interface that the administrator is connected through, and all that
// stands on it.

#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "os/system.h"

namespace manactl::setup {

// Why this NIC should be left alone; empty when nothing speaks against it. Each is a clause: "it
// carries the default route". A fact that could not be read speaks against it, too.
Result<std::vector<std::string>> objections(const host::Nic& nic,
                                            const host::Facts& facts,
                                            const os::System& system);

}  // namespace manactl::setup
