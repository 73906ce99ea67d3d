// SPDX-License-Identifier: MIT
//
// State of the kernel's side of a device: the interface below a virtual device (af_packet, tap),
// and the RDMA device of a MANA function.

#pragma once

#include <string>

namespace manactl::datapath::dpdk {

// The MTU of an interface; 0 if the interface does not exist.
unsigned mtu_of_interface(unsigned index);

bool has_interface(unsigned index);

std::string name_of_interface(unsigned index);  // empty if there is none

// True if an interface of this name exists and is up.
bool is_up(const std::string& name);

// True if the PCI function has an RDMA device, without which net_mana cannot open it.
bool has_rdma_device(const std::string& pci);

}  // namespace manactl::datapath::dpdk
