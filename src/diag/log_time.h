// SPDX-License-Identifier: MIT
//
// Finds the time of a log line, and compares the times of two lines.

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace manactl::diag {

// Returns the time in the prefixes that loggers put before `message`, as the log writes it:
// "2026-11-21T03:00:00", "Nov 21 03:00:00", the seconds since boot, "12.345678", or since 1970,
// "1732158000.123456". Returns an empty text if there is none. `message` must be the
// end of `line`, or a JSON string in it. The result is a view into `line`.
std::string_view time_of(std::string_view line, std::string_view message);

// Returns the seconds between two times of time_of(). Returns nothing if one is missing, if their
// formats differ, or if the clock went back. A time without a year is in the next year if it
// follows a line of December and is in January. Only a time on February 29 shows a leap year.
std::optional<double> seconds_between(std::string_view from, std::string_view to);

// Whether `from` is more than a day before `to`. False if a time has no date.
bool is_days_before(std::string_view from, std::string_view to);

// Returns "5 s", "2 min 5 s", "41 min", "8 h 29 min" or "3 days 4 h".
std::string duration_text(double seconds);

// Returns "Nov 21 03:00:00", "1732158000.123456" (since 1970) or "12.345678 s after boot". Omits
// the date if `reference` has the same date.
std::string moment_text(std::string_view time, std::string_view reference = {});

}  // namespace manactl::diag
