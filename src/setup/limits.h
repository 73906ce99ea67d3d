// SPDX-License-Identifier: MIT
//
// Resource limits of this process.

#pragma once

#include <sys/resource.h>

namespace manactl::setup {

// Removes a limit, such as RLIMIT_CPU, or sets it to `limit`. If the kernel does not permit this,
// as without CAP_SYS_RESOURCE, raises the soft limit to the hard one.
void raise_limit(int resource, rlim_t limit = RLIM_INFINITY);

}  // namespace manactl::setup
