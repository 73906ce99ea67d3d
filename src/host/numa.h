// SPDX-License-Identifier: MIT
//
// NUMA nodes (Documentation/ABI/stable/sysfs-devices-node of the kernel): the CPUs and hugepages of
// each node, and the mount points of hugetlbfs.

#pragma once

#include "base/ids.h"
#include "base/result.h"
#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// Errc::not_found if the node does not exist, or is -1 (the node of the device is unknown).
Result<CpuList> cpus_of_node(const os::Files& files, int node);

Memory gather_memory(const os::Files& files);

}  // namespace manactl::host
