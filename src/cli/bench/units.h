// SPDX-License-Identifier: MIT
//
// Numbers with the unit that fits, wherever bench shows one: in text, on charts, in tables.

#pragma once

#include <string>
#include <string_view>

namespace manactl::cli {

struct Unit {
  double factor = 1;
  std::string_view name;
  bool is_last = false;  // nothing larger is said: three digits behind the point, however large
};

Unit rate_unit(double most);     // packets per second: "pps" to "Mpps"
Unit bits_unit(double most);     // bits per second: "bit/s" to "Gbit/s"
Unit seconds_unit(double most);  // "s", "min", "h"
Unit latency_unit(double most);  // nanoseconds: "ns", "us", "ms", "s"

// "14.210", of kpps "878.0", of single packets "100": four digits that count.
std::string number_text(double value, const Unit& unit);

// "14.210 Mpps", "878.0 kpps", "100 pps"
std::string quantity(double value, const Unit& unit);

}  // namespace manactl::cli
