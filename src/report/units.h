// SPDX-License-Identifier: MIT
//
// Chooses units for rates and times, and formats numbers with them.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace manactl::report {

struct Unit {
  double factor = 1;
  std::string_view name;
  bool is_last = false;  // the largest unit of a rate; its numbers always have three decimals
};

// Return the largest unit in which `max` is at least 1, or 3 for seconds_unit(). If there is none,
// return the smallest unit.
Unit rate_unit(double max);     // packets per second: "pps" to "Mpps"
Unit bits_unit(double max);     // bits per second: "bit/s" to "Gbit/s"
Unit seconds_unit(double max);  // "s", "min", "h"
Unit latency_unit(double max);  // nanoseconds: "ns", "µs", "ms", "s"

// A round time in nanoseconds in its own unit, for the mark of an axis: "500 ns", "1 µs".
std::string latency_mark(double nanoseconds);

// The significant digits of a figure: of a steady one, and of one whose error is not known.
inline constexpr int kFullDigits = 4, kFewDigits = 3;

// Rounds to this number of significant digits.
double rounded(double value, int digits);

// The significant digits, at most three in the smallest unit. With four, numbers in the largest
// unit have three decimals: "878.0" kpps, "99.5" pps, "14.210" Mpps; with three, "14.2" Mpps.
std::string number_text(double value, const Unit& unit, int digits = kFullDigits);

// The step for floored_text() of the ends of a range: its order of magnitude. If rounding `high`
// down would then hide more than a tenth of the range, a tenth of that. 0 if the range is empty.
double step_of(double low, double high);

// As number_text(), but rounded down to a multiple of `step`, which is a power of ten: "997" kpps
// of 997,800 with steps of 1000. With 0, it rounds down to the digits of number_text().
std::string floored_text(double value, const Unit& unit, double step);

// "14.210 Mpps", "878.0 kpps", "100 pps"
std::string quantity(double value, const Unit& unit, int digits = kFullDigits);

}  // namespace manactl::report
