// SPDX-License-Identifier: MIT
//
// NUMA nodes (Documentation/ABI/stable/sysfs-devices-node of the kernel): the CPUs and hugepages of
// each node, and the mount points of hugetlbfs.

#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "base/ids.h"
#include "base/result.h"
#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// Errc::not_found if the node does not exist, or is -1 (the node of the device is unknown).
Result<CpuList> cpus_of_node(const os::Files& files, int node);

// The node of the NIC's VF; -1 if it is unknown or the platform reports none.
int numa_node_of(const Facts& facts, const Nic& nic);

// The nodes of all MANA functions; -1 is an unknown node.
std::set<int> mana_nodes(const Facts& facts);

// The node of all MANA functions; -1 if it is unknown or if there are several.
int common_node(const Facts& facts);

Memory gather_memory(const os::Files& files);

// Returns the bytes that programs can still allocate on this node, including page cache that the
// kernel can drop; empty if this is unknown.
std::optional<std::uint64_t> available_memory(const os::Files& files, unsigned node);

}  // namespace manactl::host
