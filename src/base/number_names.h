// SPDX-License-Identifier: MIT
//
// Names of errors and signals. The functions of glibc for them are newer than the oldest glibc that
// the portable program supports.

#pragma once

#include <string>
#include <string_view>

namespace manactl {

// "ENODEV"; empty for 0 and for numbers without a name.
std::string_view errno_name(int number);

// "SIGKILL", or "signal 34" for a number without a name.
std::string signal_name(int number);

}  // namespace manactl
