// SPDX-License-Identifier: MIT
//
// Which CPUs are near to which memory and devices.

#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

// Errc::not_found for a node that is not there, as -1, which devices without one have.
Result<CpuList> cpus_of_node(const os::Files& files, int node);

}  // namespace manactl::host
