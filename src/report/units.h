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

// Four significant digits, or three decimals in the largest unit: "878.0" kpps, "14.210" Mpps.
std::string number_text(double value, const Unit& unit);

// As number_text(), without the digits below the order of magnitude of `spread`: "998" kpps if the
// value may be off by 5 kpps.
std::string rounded_text(double value, const Unit& unit, double spread);

// "2,125,888" with the separator ",".
std::string grouped(std::uint64_t number, std::string_view separator);

// "14.210 Mpps", "878.0 kpps", "100 pps"
std::string quantity(double value, const Unit& unit);

}  // namespace manactl::report
