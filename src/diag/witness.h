// SPDX-License-Identifier: MIT
//
// What the VM shows that is no fault by itself, and yet confirms a line of a log: a link that is up
// is healthy, and is why DPDK found the port busy. Pure functions of facts.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/facts.h"

namespace manactl::diag {

struct Witness {
  std::string_view id;  // "port-busy": what signatures name
  std::string says;     // "VF enP30832s1d1 of eth1 is up: the kernel holds its port"
  std::vector<std::string> commands;
};

// Those that have something to say.
std::vector<Witness> witnesses_of(const host::Facts& facts);

// Every id there is.
std::vector<std::string_view> witness_ids();

}  // namespace manactl::diag
