// SPDX-License-Identifier: MIT
//
// RDMA devices, the numbers that kernel and libibverbs know them by, and the nodes to open. What
// is expensive is asked only when there is something to ask about.

#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "os/system.h"

namespace manactl::host {

Rdma gather_rdma(const os::System& system,
                 const Result<std::vector<PciFunction>>& functions,
                 const std::vector<std::string>& library_directories);

}  // namespace manactl::host
