// SPDX-License-Identifier: MIT
//
// Outages: intervals without received packets amid traffic, for example while a link is down.

#pragma once

#include "datapath/measure/trial.h"

namespace manactl::datapath {

// Marks the intervals of each outage, and the interval on either side of it, as disturbed. Adds a
// note for each outage. Intervals in which a device was absent do not count. Modes that receive
// nothing have no outages.
void mark_outages(Mode mode, Trial& trial);

}  // namespace manactl::datapath
