// SPDX-License-Identifier: MIT
//
// A library in place of DPDK's EAL.

extern "C" const char* rte_version();

const char* rte_version() {
  return "DPDK 22.11.11";
}
