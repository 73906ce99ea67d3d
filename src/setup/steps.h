// SPDX-License-Identifier: MIT
//
// What prepare is made of. Each is in a file of its own, step_*.cpp.

#pragma once

#include "setup/step.h"

namespace manactl::setup {

// Changes nothing; its revert, the last of all, gives an interface that was made anew the MTU,
// addresses and routes that do not come back by themselves.
std::unique_ptr<Step> keep_surroundings(const std::string& interface);

std::unique_ptr<Step> load_module(const std::string& name);

// Adds pages to what others hold. `pool` is the directory of a size, below a node.
std::unique_ptr<Step> reserve_hugepages(const std::string& pool,
                                        std::uint64_t pages,
                                        std::uint64_t held_by_others);

std::unique_ptr<Step> set_mtu(const std::string& interface, unsigned mtu);

std::unique_ptr<Step> take_down(const std::string& interface);

// Of the VMBus channel `id` whose interface is `interface` and whose VF is `vf` (may be empty).
std::unique_ptr<Step> release_channel(const std::string& id,
                                      const std::string& interface,
                                      const std::string& vf);
std::unique_ptr<Step> override_driver(const std::string& id);

// new_id, for kernels without driver_override. `shared`: another prepared NIC wrote it already.
std::unique_ptr<Step> announce_class(bool shared);
std::unique_ptr<Step> bind_channel(const std::string& id);
std::unique_ptr<Step> wait_for_uio(const std::string& id);

// The kernel can raise the VF behind our back; waits for it to settle and lowers it.
std::unique_ptr<Step> keep_down(const std::string& interface);

}  // namespace manactl::setup
