// SPDX-License-Identifier: MIT
//
// Which rdma-core and DPDK are installed, told from the names of their files and by their packages:
// nothing is loaded.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// Directories below the root in which the loader of this machine ("x86_64") looks, existing ones
// only, in its order.
std::vector<std::string> library_directories(const os::Files& files, const std::string& machine);

// From what libibverbs.so.1 links to; nothing when it is not installed.
Result<std::optional<Release>> rdma_core_release(const os::Files& files,
                                                 const std::vector<std::string>& directories);

// Whether libmana.so.1 is installed.
bool has_mana_provider(const os::Files& files, const std::vector<std::string>& directories);

Result<std::vector<SystemDpdk>> installed_dpdk(const os::Files& files,
                                               const std::vector<std::string>& directories);

// What dpkg knows of its packages, below the root, and the paragraphs of it that installed_dpdk
// reads.
inline constexpr std::string_view kDpkgStatus = "var/lib/dpkg/status";
std::string dpdk_packages(std::string_view status);

}  // namespace manactl::host
