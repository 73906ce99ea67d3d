// SPDX-License-Identifier: MIT
//
// A search for rates, as people ask for it and as it answers them.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "datapath/search.h"

namespace manactl::cli {

// "ndr", "pdr" (0.5 % may be lost), "pdr=0.1%", "ndr,pdr=0.1%,pdr=1%": shares of the packets.
Result<std::vector<double>> parse_goals(std::string_view text);

// "ndr", "pdr=0.5%"
std::string goal_text(double loss);

// "7.812 Mpps, lost from 7.851 Mpps on"
std::string found_text(const datapath::Found& found);

// "trial 12: 7.812 Mpps for 1.0 s, 0.02 % lost"
std::string probe_text(std::size_t number, const datapath::Probe& probe);

}  // namespace manactl::cli
