// SPDX-License-Identifier: MIT
//
// Hugepages per node and size, and where hugetlbfs is mounted. Reserves nothing.

#pragma once

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

Memory gather_memory(const os::Files& files);

}  // namespace manactl::host
