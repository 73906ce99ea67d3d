// SPDX-License-Identifier: MIT
//
// Finds the time of a log line.

#pragma once

#include <string_view>

namespace manactl::diag {

// Returns the time in the prefixes that loggers put before `message`, as the log writes it:
// "2026-11-21T03:00:00", "Nov 21 03:00:00", the seconds since boot, "12.345678", or since 1970,
// "1732158000.123456". Returns an empty text if there is none. `message` must be the
// end of `line`, or a JSON string in it. The result is a view into `line`.
std::string_view time_of(std::string_view line, std::string_view message);

}  // namespace manactl::diag
