// SPDX-License-Identifier: MIT
//
// The modules in an initramfs, in the format of the kernel's
// Documentation/driver-api/early-userspace/buffer-format.rst: cpio archives one after another, the
// last of which is usually compressed.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

// Returns those of `names` that the initramfs contains. Errc::invalid for another format, and
// Errc::unsupported for a compressed root file system inside, which is not read.
Result<std::vector<std::string_view>> modules_in_initramfs(
    std::string_view image, const std::vector<std::string_view>& names);

// As modules_in_initramfs(), for the file of a kernel in /boot. Errc::not_found without a file.
Result<std::vector<std::string_view>> modules_in_initramfs_of(
    const os::Files& files, std::string_view release, const std::vector<std::string_view>& names);

// Returns a cpio archive with empty files for the modules that manactl looks for. For bundles.
std::string reduced_initramfs(std::string_view image);

// The part of an option on the kernel command line that makes the initramfs configure the network:
// "ip=", "root=nfs:", "rd.neednet=1" (dracut.cmdline(7), nfsroot.rst of the kernel). Empty for
// other options.
std::string_view network_option(std::string_view word);

}  // namespace manactl::host
