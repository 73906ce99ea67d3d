// SPDX-License-Identifier: MIT
//
// hv_netvsc takes over a VF 100 ms after the VF has joined its synthetic interface: it sets the VF
// up or down like the synthetic interface (netvsc_vf_setup() in drivers/net/hyperv/netvsc_drv.c).
// Until then, a VF does not keep the state that anything else gives it.

#pragma once

#include <string>

#include "base/result.h"
#include "setup/step.h"

namespace manactl::setup {

// If the VF has joined a synthetic interface that is up, waits until the VF is up too. Gives up
// after half a second, because the VF may have been set down on purpose. Otherwise, or if the
// interfaces cannot be read, returns at once. Returns whether the VF came up meanwhile.
bool wait_for_takeover(const StepContext& context, const std::string& vf);

// Sets the interface down, and again whenever something sets it up, until it has been down for
// 0.3 s. Errc::busy if it does not stay down.
Result<> hold_down(const StepContext& context, const std::string& interface);

}  // namespace manactl::setup
