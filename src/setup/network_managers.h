// SPDX-License-Identifier: MIT

#pragma once

#include "setup/step.h"

namespace manactl::setup {

// Waits until udev, systemd-networkd and NetworkManager, if they run, have set up the interface
// that has just appeared with this index: values that they set later would replace those of the
// journal. Gives up after 3 seconds, because networkd may wait for DHCP forever.
void await_network_managers(const StepContext& context, int index);

}  // namespace manactl::setup
