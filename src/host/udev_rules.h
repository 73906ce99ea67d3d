// SPDX-License-Identifier: MIT
//
// Evaluates rules of udev(7) for a VF that does not exist yet.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "os/files.h"

namespace manactl::host {

// The properties by which rules tell network managers to leave an interface alone.
// AZURE_UNMANAGED_SRIOV is set by the rules of azure-vm-utils, and evaluated by others.
inline constexpr std::string_view kUnmanagedProperties[] = {
    "NM_UNMANAGED", "ID_NET_MANAGED_BY", "AZURE_UNMANAGED_SRIOV"};

// Returns the file whose rule makes NetworkManager leave a VF of the driver mana alone. A match
// that is not understood, such as a MAC address, does not apply.
std::optional<std::string> rule_that_unmanages_mana(const os::Files& files);

}  // namespace manactl::host
