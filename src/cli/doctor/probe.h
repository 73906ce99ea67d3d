// SPDX-License-Identifier: MIT
//
// doctor --probe: tries direct verbs on a MANA port.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "datapath/probe.h"
#include "host/facts.h"
#include "setup/journal.h"

namespace manactl::cli {

// Fails with Errc::not_found or Errc::unsupported if there is no port to probe. Creates no QP on a
// NIC that is in use.
Result<datapath::ProbeReport> probe_interface(const std::string& interface,
                                              const os::System& system,
                                              const host::Facts& facts,
                                              const std::vector<setup::Entry>& entries);

}  // namespace manactl::cli
