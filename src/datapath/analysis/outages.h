// SPDX-License-Identifier: MIT
//
// Outages: intervals without received packets after packets had arrived, for example while a link
// is down. Stray packets, such as ARP, do not end an outage. If a worker did not run, packets that
// it did not fetch do not show an outage.

#pragma once

#include "datapath/measure/trial.h"

namespace manactl::datapath {

// Marks the intervals of each outage, and the interval on either side of it, as disturbed. Adds a
// note for each outage. Times in which a worker did not run get a note, but no mark. In modes that
// only receive, silence until the end is not marked, because the remote sender may have finished,
// but a note contains its start. Does nothing in modes that receive nothing, and in a trial in
// which a device was removed: its disturbed intervals describe the absence of the device (see
// servicing_of()).
void mark_outages(Mode mode, Trial& trial);

}  // namespace manactl::datapath
