// SPDX-License-Identifier: MIT

#pragma once

#include <string>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// Fills the kernels of `move`: which modules they lack, which kernel starts next, and what is
// missing in each initramfs if the kernel command line needs the network there.
void add_kernels(const os::Files& files, const std::string& running, MoveFacts& move);

}  // namespace manactl::host
