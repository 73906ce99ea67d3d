// SPDX-License-Identifier: MIT
//
// Secure Boot, and the signatures of modules that are not part of the kernel's package.

#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

// The suffix of a signed module, without its last newline (scripts/sign-file.c of the kernel).
inline constexpr std::string_view kModuleSignature = "~Module signature appended~";

// Whether the firmware enforces signatures. False on a VM that does not start with UEFI.
Result<bool> secure_boot(const os::Files& files);

// Whether a module is in a directory for modules from outside the kernel's tree. `path` is from
// modules.dep.
bool is_outside_tree(std::string_view path);

// Whether the file of a module, perhaps compressed, has a signature. The key is not examined.
Result<bool> has_signature(const os::Files& files, const std::string& path);

// Returns kModuleSignature for a signed module, and an empty text for another one. For bundles.
std::string reduced_module(std::string_view module);

}  // namespace manactl::host
