// SPDX-License-Identifier: MIT
//
// libudev, which is loaded at the first call of one of its functions: a container may lack it.

#pragma once

#include <string>

namespace manactl::os {

// Why libudev cannot be loaded; empty if it can. If not, its functions must not be called. Safe in
// any thread.
std::string libudev_obstacle();

}  // namespace manactl::os
