// SPDX-License-Identifier: MIT
//
// libudev, which is loaded at the first call of one of its functions: a container may lack it.

#pragma once

namespace manactl::os {

// Whether libudev is installed. If not, its functions must not be called. Safe in any thread.
bool has_libudev();

}  // namespace manactl::os
