// SPDX-License-Identifier: MIT
//
// Evaluates the modprobe configuration and loads modules with libkmod, which is loaded when it is
// first needed. No shell or other program is run.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace manactl::os {

// Whether modprobe.d blacklists the module or has an install command that prevents loading it.
// `directories` replaces the default directories of libkmod if it is not empty.
Result<bool> is_blocked_by_libkmod(const std::vector<std::string>& directories,
                                   std::string_view name);

// Loads the module and its dependencies. Errc::not_found if the kernel has no such module.
Result<> load_with_libkmod(const std::string& name);

}  // namespace manactl::os
