// SPDX-License-Identifier: MIT
//
// A device that is taken from the machine takes with it what was changed on it: nothing of that can
// be put back, and nothing needs to be.

#pragma once

#include <string>

#include "setup/journal.h"

namespace manactl::setup {

struct Gone {
  bool vf = false;       // no interface has its name or its MAC address
  bool channel = false;  // the VMBus channel, and so the synthetic interface, too

  // "the VF enP30832p0s0 went away"; empty when nothing did.
  std::string text(const Entry& entry) const;
};

// What is there, or cannot be looked for, is not gone.
Gone gone_of(const Entry& entry, const os::System& system);

// Whether this step could not be undone because its device is not there.
bool explains(const Gone& gone, const Entry& entry, const StepRecord& step, const Error& error);

}  // namespace manactl::setup
