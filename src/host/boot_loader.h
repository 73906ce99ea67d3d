// SPDX-License-Identifier: MIT
//
// Finds the kernel that GRUB starts next, from its settings or from the entries of the Boot Loader
// Specification.

#pragma once

#include <string>
#include <vector>

#include "host/facts.h"
#include "os/files.h"

namespace manactl::host {

// `releases` are the installed kernels. Without a setting, GRUB starts the newest of them.
// Errc::invalid if the setting names none of them, even with the menu in grub.cfg.
Result<NextKernel> next_kernel(const os::Files& files, const std::vector<std::string>& releases);

// The lines of GRUB's files and of boot loader entries that next_kernel() reads. For bundles.
std::string kept_boot_settings(std::string_view text);

// The entries of GRUB's menu in grub.cfg, which may contain passwords. For bundles.
std::string kept_menu(std::string_view text);

}  // namespace manactl::host
