// SPDX-License-Identifier: MIT
//
// Finds the DPDK of the program, if the program loads it as shared libraries. A statically linked
// program does not export the functions of DPDK, so nothing is known about its DPDK.

#pragma once

#include <string_view>

namespace manactl::adapter {

// The text of rte_version(), for example "DPDK 24.11.8"; empty if unknown.
std::string_view dpdk_release();

// True if DPDK's libraries are loaded, net_mana is not among them, and net_mana is not installed
// with them. A program that ends before it loads its drivers therefore does not lack one.
bool lacks_net_mana();

}  // namespace manactl::adapter
