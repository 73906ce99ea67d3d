// SPDX-License-Identifier: MIT
//
// Evaluates rules of udev(7) for a VF that does not exist yet.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

// The properties with which rules mark an interface as unmanaged.
// AZURE_UNMANAGED_SRIOV is set by the rules of azure-vm-utils, and evaluated by others.
inline constexpr std::string_view kUnmanagedProperties[] = {
    "NM_UNMANAGED", "ID_NET_MANAGED_BY", "AZURE_UNMANAGED_SRIOV"};

struct UnmanagingRule {
  std::string path;

  // It tests the flags of the interface, which change when the VF joins its NIC.
  bool races = false;
};

// Returns the file whose rule makes NetworkManager leave a VF of the driver mana alone. A rule with
// a key that cannot be evaluated, such as a MAC address, is ignored, as are very long rules and
// values. Errc::unsupported if such a key decides by a GOTO whether the rules apply.
Result<std::optional<UnmanagingRule>> rule_that_unmanages_mana(const os::Files& files);

// The parts of rules that rule_that_unmanages_mana() evaluates, in their lines. Everything else is
// replaced. For bundles.
std::string reduced_rules(std::string_view text);

}  // namespace manactl::host
