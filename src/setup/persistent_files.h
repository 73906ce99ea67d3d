// SPDX-License-Identifier: MIT
//
// The text of the files that prepare a NIC at every boot and keep network managers from its VF.
// Each file begins with a header that names manactl, and each rule names one device.

#pragma once

#include <string>
#include <vector>

#include "os/files.h"
#include "setup/persist.h"
#include "setup/plan.h"

namespace manactl::setup {

// The files of --persist. Errc::invalid for a name that
// a unit file cannot contain, and for a NIC without an address, because a rule could not name it.
Result<std::vector<PersistentFile>> persistent_files(const Request& request,
                                                     const Entry& entry,
                                                     const os::Files& files);

}  // namespace manactl::setup
