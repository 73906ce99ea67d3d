// SPDX-License-Identifier: MIT
//
// The kernel's interfaces of the ports, sim0 and so on, which do not exist: only their MTU can be
// read and set, as net_mana does. The device does not know the MTU. It drops frames only if they
// are longer than its own limit allows (adapter_mtu of Linux drivers/net/ethernet/microsoft/mana).

#pragma once

#include <optional>

namespace manactl::adapter {

// Handles SIOCGIFMTU and SIOCSIFMTU of ioctl(2) for these interfaces: returns the result of the
// call and sets errno. No value for all other requests. Safe in any thread.
std::optional<int> handle_interface_request(unsigned long request, void* argument);

}  // namespace manactl::adapter
