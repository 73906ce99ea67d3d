// SPDX-License-Identifier: MIT
//
// The network hardware and how it belongs together: PCI functions, and the Azure NICs that
// synthetic interfaces, VFs and VMBus channels make up.

#pragma once

#include <vector>

#include "host/facts.h"
#include "os/system.h"

namespace manactl::host {

// MANA and Mellanox functions, by address.
Result<std::vector<PciFunction>> gather_functions(const os::System& system);

// Paired, without addresses and what they carry. Interfaces that vanish meanwhile are left out.
Result<std::vector<Nic>> gather_nics(const os::System& system, const std::vector<os::Link>& links);

}  // namespace manactl::host
