// SPDX-License-Identifier: MIT
//
// Devices that were removed from the VM while a NIC was prepared. Changes on them cannot be
// reverted, and need not be: they vanished with the device.

#pragma once

#include <string>

#include "setup/journal.h"

namespace manactl::setup {

struct VanishedDevice {
  bool vf = false;       // true: the PCI function has no such port any more
  bool channel = false;  // true: the VMBus channel and its synthetic interface are gone

  // "the VF enP30832p0s0 was removed"; empty if nothing was removed.
  std::string text(const Entry& entry) const;

  // Whether a step could not be reverted because its device is no longer there.
  bool caused(const Error& error, const StepRecord& step, const Entry& entry) const;
};

// If the search for a device fails, the device counts as present.
VanishedDevice find_vanished_device(const Entry& entry, const os::System& system);

}  // namespace manactl::setup
