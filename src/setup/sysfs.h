// SPDX-License-Identifier: MIT
//
// Paths below sys/ and proc/ that several steps use, and functions that find network interfaces by
// name.

#pragma once

#include <optional>
#include <set>
#include <string>

#include "os/system.h"

namespace manactl::setup {

inline constexpr const char* kNetvsc = "hv_netvsc";
inline constexpr const char* kUio = "uio_hv_generic";

// HV_NIC_GUID of include/linux/hyperv.h: the class of network channels.
inline constexpr const char* kNicClass = "f8615163-df3e-46c5-913f-f2d2f965ed0e";

std::string device_path(const std::string& id);
std::string driver_path(const std::string& driver);

// The driver of a channel; empty if it has none. Errc::not_found if there is no such channel.
Result<std::string> driver_of(const os::Files& files, const std::string& id);

// driver_override of a channel; empty if unset. Errc::not_found on kernels without it.
Result<std::string> override_of(const os::Files& files, const std::string& id);

std::optional<std::string> uio_of(const os::Files& files, const std::string& id);
std::optional<std::string> interface_of(const os::Files& files, const std::string& id);

// The character devices through which programs use a NIC: "/dev/uio0" of its channel, and
// "/dev/infiniband/uverbs0" of the PCI function of its VF. Ports of one function share the latter.
// Skips an empty `channel` or `pci`.
std::set<std::string> user_space_devices(const os::Files& files,
                                         const std::string& channel,
                                         const std::string& pci);

// The boot_id of the kernel, which changes at every reboot.
Result<std::string> boot_id(const os::Files& files);

// Whether `name` is the name or an alternative name of `link`.
bool has_name(const os::Link& link, const std::string& name);
Result<os::Link> find_link(const os::System& system, const std::string& name);

}  // namespace manactl::setup
