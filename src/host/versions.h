// SPDX-License-Identifier: MIT
//
// Finds the installed versions of rdma-core and DPDK by file names and package data, without
// loading a library.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// Returns "23.11.4" for "1:23.11.4-0ubuntu0.24.04.1".
std::string_view upstream_version(std::string_view package_version);

// Returns the ID of os-release of the distribution that alone has such releases of kernels:
// "rhel" for "6.12.0-124.8.1.el10_1.x86_64". Empty if several distributions have them.
std::string_view distribution_of(std::string_view kernel_release);

// The existing library directories of a machine ("x86_64"), in the order of ld.so(8).
std::vector<std::string> library_directories(const os::Files& files, const std::string& machine);

// The release of rdma-core that libibverbs.so.1 links to; empty if rdma-core is not installed.
Result<std::optional<Release>> rdma_core_release(const os::Files& files,
                                                 const std::vector<std::string>& directories);

// Whether libmana.so.1 is installed.
bool has_mana_provider(const os::Files& files, const std::vector<std::string>& directories);

Result<std::vector<SystemDpdk>> installed_dpdk(const os::Files& files,
                                               const std::vector<std::string>& directories);

// The status file of dpkg(1). dpdk_packages() returns the paragraphs that installed_dpdk() reads.
inline constexpr std::string_view kDpkgStatus = "var/lib/dpkg/status";
std::string dpdk_packages(std::string_view status);

}  // namespace manactl::host
