// SPDX-License-Identifier: MIT
//
// What the kernel says of the interface below a device: af_packet, tap.

#pragma once

#include <string>

namespace manactl::datapath::dpdk {

// Of the interface with this index; 0 when there is none or it does not say.
unsigned mtu_of_interface(unsigned index);

bool has_interface(unsigned index);

std::string name_of_interface(unsigned index);  // empty when there is none

// Whether an interface of this name is there, and up.
bool is_up(const std::string& name);

}  // namespace manactl::datapath::dpdk
