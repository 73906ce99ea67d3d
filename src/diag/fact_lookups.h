// SPDX-License-Identifier: MIT
//
// Functions that look up facts for several groups of checks.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/check.h"
#include "diag/release_table.h"
#include "host/facts.h"

namespace manactl::diag {

// The NICs that the options select.
std::vector<const host::Nic*> selected_nics(const host::Facts& facts, const CheckOptions& options);

std::vector<const host::PciFunction*> mana_functions(const host::Facts& facts);

const host::PciFunction* function_at(const host::Facts& facts, const PciAddress& address);

// Returns null if nothing about the module was gathered.
const host::Module* module_named(const host::Facts& facts, std::string_view name);

// True only if the module is known not to exist for this kernel.
bool is_missing(const host::Facts& facts, std::string_view module);

// True only if the module is known to be neither loaded nor built in.
bool is_absent(const host::Facts& facts, std::string_view module);

// The RDMA devices of MANA functions.
std::vector<const host::RdmaDevice*> mana_rdma_devices(const host::Facts& facts);

// The NUMA nodes of the selected NICs, or of all MANA functions if the NICs are unknown. The node
// is -1 if the platform reports none.
std::set<int> nodes_of(const host::Facts& facts, const CheckOptions& options);

// Returns vendor and device id: "1414:00ba".
std::string pci_id(const host::PciFunction& function);

// Returns "enP30832s1d1 (7870:00:00.0, port 1)".
std::string vf_name(const host::Netdev& vf);

}  // namespace manactl::diag
