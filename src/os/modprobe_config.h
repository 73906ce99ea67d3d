// SPDX-License-Identifier: MIT
//
// Finds the file that prevents modprobe(8) from loading a module: a file of modprobe.d(5), or
// proc/cmdline for the kernel command line. Works on captured trees as well, without libkmod.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

// Replaces '-' in the name of a module by '_': the kernel treats both as equal.
std::string module_key(std::string_view name);

// True if an install command of modprobe.d with this program ("true" or "false") prevents loading.
bool is_refusal_program(std::string_view program);

// The file below `files` that blacklists the module or prevents loading it by an install command;
// empty if modprobe would load the module.
Result<std::optional<std::string>> blocking_file(const Files& files, std::string_view name);

}  // namespace manactl::os
