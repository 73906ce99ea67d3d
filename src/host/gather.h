// SPDX-License-Identifier: MIT
//
// Gathers all facts of a system without changing it. A part that cannot be read becomes an error
// in its own fact; the other facts are still gathered. The parts are in pci_functions.cpp,
// nics.cpp, rdma_facts.cpp and carried_traffic.cpp; memory and versions have headers of their own.

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"
#include "os/system.h"

namespace manactl::host {

// A VM of Hyper-V has at most 68 network adapters. With more NICs and VFs, or PCI functions of
// NICs, none is examined. The limit keeps searches fast.
inline constexpr std::size_t kMaxDevices = 256;

// How to find the NICs that carry SSH sessions. Only `every_process` finds the sessions of an SSH
// server that did not start this process and does not listen on port 22; it reads all of /proc.
enum class SshSearch { quick, every_process };

// Whether to fill Facts::move, which reads many more files.
enum class MoveForecast { omit, include };

Facts gather(const os::System& system,
             SshSearch ssh_search = SshSearch::quick,
             MoveForecast forecast = MoveForecast::omit);

// The adapter with these PCI ids.
Adapter adapter_of_ids(std::uint16_t vendor, std::uint16_t device);

// Whether an RDMA device has a name that mana_ib gives: "mana_0" or "manae_0".
bool is_mana_rdma_name(std::string_view name);

// The MANA and Mellanox functions (Documentation/ABI/testing/sysfs-bus-pci of the kernel), sorted
// by address.
Result<std::vector<PciFunction>> gather_functions(const os::System& system);

// "vlan eth1.7", or "interface b" for a link without a kind.
std::string kind_and_name(const os::Link& link);

// Fills Nic::uppers with the interfaces that would fail without the NIC.
void add_uppers(const std::vector<os::Link>& links, Nic& nic);

// The Azure NICs, sorted by name, first those with a synthetic interface. Netdev::addresses,
// Nic::carries, Nic::counters and Nic::management are not filled. A VF belongs to the NIC that is
// its IFLA_MASTER. Without a master, its MAC address is compared with those of the NICs and with
// VMBus ids. Interfaces that disappear during the search are left out.
Result<std::vector<Nic>> gather_nics(const os::System& system, const std::vector<os::Link>& links);

// RDMA devices, their driver ids, device nodes and providers. Expensive reads, and those that make
// the kernel load a module, are skipped on systems without RDMA or MANA devices.
Rdma gather_rdma(const os::System& system,
                 const Result<std::vector<PciFunction>>& functions,
                 const std::vector<std::string>& library_directories);

// Fills Nic::carries with the traffic that would be lost with the NIC: SSH sessions, the default
// route, routes to Azure's own services, and remote file systems and disks. Returns the first error
// if the search is incomplete.
Result<> add_carried_traffic(const os::System& system,
                             const std::vector<os::Link>& links,
                             const Result<std::vector<os::Address>>& addresses,
                             SshSearch ssh_search,
                             std::vector<Nic>& nics);

}  // namespace manactl::host
