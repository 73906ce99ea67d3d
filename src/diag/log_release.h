// SPDX-License-Identifier: MIT
//
// Which DPDK wrote a log, and what a release knows: lines and mends came with some releases.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manactl::diag {

// Whether `release` ("24.11.2") is one of `firsts` or newer. `firsts` has the first release of each
// maintained line ("24.11.3") and, as its last one, of the main line ("25.07").
bool has_reached(std::string_view release, const std::vector<std::string>& firsts);

// What the DPDK prefix of a message tells: "22.11 to 24.07" or "24.11 or newer"; empty: nothing.
std::string_view releases_of_prefix(std::string_view message);

}  // namespace manactl::diag
