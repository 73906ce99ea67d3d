// SPDX-License-Identifier: MIT
//
// Parses option values: frame sizes, rates and search goals.

#pragma once

#include <string_view>
#include <vector>

#include "base/result.h"
#include "datapath/bench.h"

namespace manactl::cli {

// Accepts "64", "64,512,1518" (equal shares), "64:7,570:4,1518:1" (sizes with shares) and "imix":
// at most 8 sizes of 64 to 9018 bytes, with shares of 1 to 100.
Result<std::vector<datapath::SizeShare>> parse_sizes(std::string_view text);

// Accepts "1Mpps", "500kpps", "10Gbps", "2.5Gbit" and "50%". A unit is required, case-insensitive.
Result<datapath::Rate> parse_rate(std::string_view text);

// Accepts "ndr" (no loss), "pdr" (a loss of 0.5 %), "pdr=0.1%" and lists: "ndr,pdr=0.1%,pdr=1%".
// Returns the accepted losses as fractions of the packets.
Result<std::vector<double>> parse_goals(std::string_view text);

}  // namespace manactl::cli
