// SPDX-License-Identifier: MIT
//
// Rates as LISA, Microsoft's test framework, tells them, so that testers of MANA can put both side
// by side. Its rule: of the packets per second of every interval, the zeros at the start are left
// out, then the first and the last one; nothing is told of fewer than three.

#pragma once

#include <optional>
#include <vector>

#include "datapath/trial.h"

namespace manactl::datapath {

struct LisaRate {
  double maximum = 0, average = 0, minimum = 0;  // packets per second
};

// Of packets sent or received, over the intervals of all trials; the rule is that of each trial.
std::optional<LisaRate> lisa_rate(const std::vector<Trial>& trials, Count Sample::*direction);

}  // namespace manactl::datapath
