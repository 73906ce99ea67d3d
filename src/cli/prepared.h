// SPDX-License-Identifier: MIT
//
// What is prepared at the moment, for the commands that tell of it.

#pragma once

#include <vector>

#include "cli/context.h"
#include "host/facts.h"
#include "setup/journal.h"
#include "setup/slots.h"

namespace manactl::cli {

// The entries of the journal; none for a captured system, and none when they may not be read.
std::vector<setup::Entry> known_entries(const os::System& system, const Context& context);

// NICs whose channel is on uio_hv_generic, and those that the journal tells of.
std::vector<const host::Nic*> prepared_nics(const host::Facts& facts,
                                            const std::vector<setup::Entry>& entries);

std::vector<setup::Slot> slots_now(const os::System& system,
                                   const std::vector<setup::Entry>& entries);

// The slot of a NIC that is only going to be prepared; none for hugepages alone.
std::vector<setup::Slot> slots_in(const setup::Entry& entry);

}  // namespace manactl::cli
