// SPDX-License-Identifier: MIT
//
// What would be lost with a NIC: the SSH session, the default route, the routes to Azure's own
// services, file systems and disks behind it.

#pragma once

#include <vector>

#include "host/facts.h"
#include "host/gather.h"
#include "os/system.h"

namespace manactl::host {

// Fills Nic::carries with all that can be told, and gives the first error when that is not all.
Result<> note_carriers(const os::System& system,
                       const std::vector<os::Link>& links,
                       const Result<std::vector<os::Address>>& addresses,
                       Look look,
                       std::vector<Nic>& nics);

}  // namespace manactl::host
