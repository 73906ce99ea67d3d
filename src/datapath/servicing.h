// SPDX-License-Identifier: MIT
//
// What a trial's rate was before, while and after a device was away: a host that services a VF
// takes it for some seconds.

#pragma once

#include <optional>

#include "datapath/trial.h"

namespace manactl::datapath {

// Packets per second; absent where no interval tells.
struct Servicing {
  std::optional<double> before, during, after;
  double seconds = 0;  // of the intervals in which something was away, came or went
};

// Nothing of a trial without events. What does not return is away until the end.
std::optional<Servicing> servicing_of(Mode mode, const Trial& trial);

}  // namespace manactl::datapath
