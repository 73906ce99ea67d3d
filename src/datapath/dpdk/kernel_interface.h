// SPDX-License-Identifier: MIT
//
// What the kernel says of the interface below a device: af_packet, tap.

#pragma once

namespace manactl::datapath::dpdk {

// Of the interface with this index; 0 when there is none or it does not say.
unsigned mtu_of_interface(unsigned index);

bool has_interface(unsigned index);

}  // namespace manactl::datapath::dpdk
