// SPDX-License-Identifier: MIT
//
// modprobe by libkmod, which is loaded when it is first needed. No shell and no command is run.

#pragma once

#include <string>

#include "base/result.h"

namespace manactl::os {

// The module and what it needs. Errc::not_found when the kernel has none of that name.
Result<> load_by_libkmod(const std::string& name);

}  // namespace manactl::os
