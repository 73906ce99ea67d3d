// SPDX-License-Identifier: MIT
//
// Whether modprobe would refuse a module: own reading of the configuration, and libkmod's.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "os/files.h"

namespace manactl::os {

// '-' and '_' are the same to the kernel; with '_'.
std::string module_key(std::string_view name);

// The file below `files` that blacklists the module or installs /bin/false or /bin/true instead of
// it; nothing when modprobe would load it.
Result<std::optional<std::string>> blocking_file(const Files& files, std::string_view name);

// The same question to libkmod. `directories` replaces its own list, for tests; empty keeps it.
Result<bool> blocked_by_libkmod(const std::vector<std::string>& directories, std::string_view name);

}  // namespace manactl::os
