// SPDX-License-Identifier: MIT
//
// Facts, journal entries and check options for the commands. These functions combine modules that
// do not include each other: host needs the version of the linked DPDK, and diag needs the memory
// size of a bench.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "diag/check.h"
#include "host/facts.h"
#include "host/gather.h"
#include "setup/journal.h"

namespace manactl::cli {

// Includes what each NIC carries (setup::add_objections).
host::Facts gather_facts(const os::System& system);

// As gather_facts(), with what only check and doctor judge: settings and load that decide about
// speed, the forecast for a VM without MANA, and the reply of the metadata service at the address
// of an Azure VM, if there is one. A captured system has the recorded reply.
host::Facts gather_check_facts(const os::System& system,
                               const std::string& root = {},
                               const std::optional<std::string>& metadata_address = {});

// Returns the options for checking that memory suffices for a bench with `queues` queues, and for
// dpdk-testpmd.
diag::CheckOptions check_options_for(const host::Facts& facts, unsigned queues);

// Returns why DPDK cannot use any NIC of this VM, whether it is prepared or not: the first cause
// among the failed checks of hardware, kernel, RDMA and DPDK. Empty if none of them failed.
std::string obstacle_to_dpdk(const host::Facts& facts);

// Returns one line: why DPDK cannot load libibverbs and libmana, and how to install them on this
// distribution. Empty if they can be loaded.
std::string obstacle_in_libraries(const host::Facts& facts);

// Returns an empty list for a captured system, or if the journal cannot be read.
std::vector<setup::Entry> journal_entries(const os::System& system, const Context& context);

// Returns the NICs with a PCI function that are in user space: their channel is bound to
// uio_hv_generic, or the journal shows that prepare completed.
std::vector<const host::Nic*> nics_in_user_space(const host::Facts& facts,
                                                 const std::vector<setup::Entry>& entries);

}  // namespace manactl::cli
