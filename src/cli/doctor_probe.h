// SPDX-License-Identifier: MIT
//
// The probe of doctor: which port a word means, how far it may go there, and what it is worth.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "datapath/probe.h"
#include "host/facts.h"
#include "setup/journal.h"

namespace manactl::cli {

// Errc::not_found and unsupported when there is nothing to probe. No QP is made on a NIC that
// the administrator or the machine needs.
Result<datapath::ProbeReport> probe_interface(const std::string& interface,
                                              const os::System& system,
                                              const host::Facts& facts,
                                              const std::vector<setup::Entry>& entries);

// busy when the port is in use, denied when something was not permitted, unsupported when there is
// no device or library, findings for all else that ended it.
Exit exit_of(const datapath::ProbeReport& report);

}  // namespace manactl::cli
