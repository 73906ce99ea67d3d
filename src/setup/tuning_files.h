// SPDX-License-Identifier: MIT
//
// The files of tune --persist. A .link file (systemd.link(5)) or a rule of udev applies the
// settings to each new interface: at boot, and when the VF returns after servicing.

#pragma once

#include <vector>

#include "os/files.h"
#include "setup/persist.h"
#include "setup/tune.h"

namespace manactl::setup {

// The files for the settings that the NIC's entries of tune have changed, and for `settings` of
// this run, which override them. A .link file if systemd knows each option and no other .link file
// may apply, because only the first one does; otherwise a rule. Errc::unsupported if neither works
// on this distribution.
Result<std::vector<PersistentFile>> tuning_files(const host::Nic& nic,
                                                 const std::vector<TunedSetting>& settings,
                                                 const std::vector<Entry>& entries,
                                                 const host::Facts& facts,
                                                 const os::Files& files);

}  // namespace manactl::setup
