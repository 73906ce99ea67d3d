// SPDX-License-Identifier: MIT
//
// When a VF has joined its synthetic interface, hv_netvsc takes it over: it sets the VF up or down
// like the synthetic interface (__netvsc_vf_setup() in drivers/net/hyperv/netvsc_drv.c). If the VF
// appears after the synthetic interface, this happens 100 ms later, or later still while the kernel
// is busy. Until then, hv_netvsc overrides any state that another program sets.

#pragma once

#include <string>

#include "base/result.h"
#include "setup/nic_interface.h"
#include "setup/step.h"

namespace manactl::setup {

// Waits while the VF is down although it has joined a synthetic interface that is up. Gives up
// after two seconds, because the VF may have been set down on purpose. Returns whether it waited:
// the state and the name of the VF may have changed.
bool wait_for_takeover(const StepContext& context, const NicInterface& vf);

// Sets the interface down, and again whenever something sets it up, until it has been down for
// 0.3 s. Errc::busy if it does not stay down.
Result<> hold_down(const StepContext& context, const NicInterface& interface);

}  // namespace manactl::setup
