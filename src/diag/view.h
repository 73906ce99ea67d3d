// SPDX-License-Identifier: MIT
//
// Questions that several groups of checks ask of the facts.

#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "diag/check.h"
#include "host/facts.h"

namespace manactl::diag {

std::vector<const host::PciFunction*> mana_functions(const host::Facts& facts);

const host::PciFunction* function_at(const host::Facts& facts, const PciAddress& address);

// mlx5 wants the opposite of MANA in places: there the VF stays up while DPDK works.
bool has_mana_vf(const host::Nic& nic);

// Null when it was not gathered.
const host::Module* module_named(const host::Facts& facts, std::string_view name);

// Whether it is known to be neither loaded nor built in.
bool is_absent(const host::Facts& facts, std::string_view module);

// The RDMA devices of MANA functions.
std::vector<const host::RdmaDevice*> mana_rdma_devices(const host::Facts& facts);

// The NUMA nodes of the functions behind the NICs in question; -1 where the platform names none.
std::set<int> nodes_of(const host::Facts& facts, const Question& question);

// "1414:00ba"
std::string pci_id(const host::PciFunction& function);

// "enP30832s1d1 (7870:00:00.0, port 1)"
std::string vf_name(const host::Netdev& vf);

// "1 NIC", "2 NICs"
std::string counted(std::size_t count, std::string_view noun);

}  // namespace manactl::diag
