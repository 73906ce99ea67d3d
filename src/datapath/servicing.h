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
  double seconds = 0;  // from the first disturbed interval to the last
};

// Nothing of a trial without events.
std::optional<Servicing> servicing_of(Mode mode, const Trial& trial);

}  // namespace manactl::datapath
