// SPDX-License-Identifier: MIT
//
// Resource limits of this process.

#pragma once

namespace manactl::setup {

// Removes a limit, such as RLIMIT_CPU. Without CAP_SYS_RESOURCE, raises the soft limit to the hard
// one.
void raise_limit(int resource);

}  // namespace manactl::setup
