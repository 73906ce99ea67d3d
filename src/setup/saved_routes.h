// SPDX-License-Identifier: MIT
//
// Saves the routes and next-hop objects that the kernel removes together with an interface, and
// adds them again. Routes that the kernel or a router adds by itself are not saved.

#pragma once

#include <string>
#include <vector>

#include "os/links.h"
#include "setup/step.h"

namespace manactl::setup {

// Adds the routes and next-hop objects of the interface `index` to `target`. `addresses` are those
// of the interface.
Result<> save_routes(const os::Links& links,
                     int index,
                     const std::vector<os::Address>& addresses,
                     Values& target);

// Adds what is missing. `former_name` is the name that the interface had when its routes were
// saved. After an error, adds the rest and returns the first error. Errc::busy if another route or
// object has the place of a saved one.
Result<> restore_routes(const StepContext& context,
                        const std::string& former_name,
                        int index,
                        const Values& saved);

// The commands that add the routes to `device`, a word of a shell.
std::vector<std::string> route_commands(const Values& saved, const std::string& device);

}  // namespace manactl::setup
