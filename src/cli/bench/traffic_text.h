// SPDX-License-Identifier: MIT
//
// How people write what packets look like and how many there are.

#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"

namespace manactl::cli {

// "64", "64,512,1518" (as many of each), "64:7,570:4,1518:1" (in these shares), "imix": at most 8
// sizes of 64 to 9018 bytes, shares of 1 to 100.
Result<std::vector<datapath::SizeShare>> parse_sizes(std::string_view text);

// "1Mpps", "500kpps", "10Gbps", "2.5Gbit", "50%"; the unit is needed, its case is not heeded.
Result<datapath::Rate> parse_rate(std::string_view text);

}  // namespace manactl::cli
