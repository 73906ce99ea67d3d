// SPDX-License-Identifier: MIT
//
// Defects of DPDK's net_mana that break a rule of the device, with the releases that have them.

#pragma once

#include <string_view>

#include "adapter/check/checker.h"

namespace manactl::adapter {

struct KnownDefect {
  std::string_view meaning;    // what the driver does, in one clause
  std::string_view reference;  // the commit of DPDK that fixes it, or the function that causes it
};

// Returns the defect that explains violations of this rule; null if none is known. `driver` is the
// text of rte_version(), for example "DPDK 24.11.8".
const KnownDefect* find_known_defect(std::string_view driver, Violation violation);

// True if rules were broken, and a known defect of the driver explains each of them.
bool has_only_known_defects(const AdapterCounters& counters);

}  // namespace manactl::adapter
