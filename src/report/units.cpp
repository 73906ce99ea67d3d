// SPDX-License-Identifier: MIT

#include "report/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

namespace manactl::report {
namespace {

// From this number on, the smallest unit has no decimals. Smaller ones have three digits, because a
// second has that many events or fewer: 1000 packets in 1.0001 s are 1000 packets per second.
constexpr double kWhole = 999.5;
constexpr double kLastFactor = 1e3;  // the largest unit has three decimals
// From this share of a unit on, numbers with four digits are rounded up to it: 999,960 packets per
// second are 1.000 Mpps, not 1000.0 kpps.
constexpr double kRoundedUp = 0.99995;

Unit largest_below(std::span<const Unit> units, double max) {
  Unit fit = units.front();
  for (const auto& unit : units) {
    if (max >= unit.factor) fit = unit;
  }
  return fit;
}

// A quotient such as 7.812e6 / 1e3 may be a little below the whole number.
double floored(double value, double step) {
  constexpr double kRounding = 1e-9;
  return std::floor(value / step * (1 + kRounding)) * step;
}

int digits_before_point(double value) {
  return std::abs(value) < 1 ? 1 : static_cast<int>(std::log10(std::abs(value))) + 1;
}

}  // namespace

Unit rate_unit(double max) {
  constexpr std::array<Unit, 3> kUnits = {{{1, "pps"}, {1e3, "kpps"}, {1e6, "Mpps", true}}};
  return largest_below(kUnits, max / kRoundedUp);
}

Unit bits_unit(double max) {
  constexpr std::array<Unit, 4> kUnits = {
      {{1, "bit/s"}, {1e3, "kbit/s"}, {1e6, "Mbit/s"}, {1e9, "Gbit/s", true}}};
  return largest_below(kUnits, max / kRoundedUp);
}

Unit seconds_unit(double max) {
  constexpr std::array<Unit, 3> kUnits = {{{1, "s"}, {60, "min"}, {3600, "h"}}};
  constexpr double kMinCount = 3;  // smallest number in a larger unit: "170 s", but "3 min"
  return largest_below(kUnits, max / kMinCount);
}

Unit latency_unit(double max) {
  constexpr std::array<Unit, 4> kUnits = {{{1, "ns"}, {1e3, "\u00b5s"}, {1e6, "ms"}, {1e9, "s"}}};
  return largest_below(kUnits, max);
}

std::string latency_mark(double nanoseconds) {
  // std::pow() may compute 1000 ns as 999.9...
  constexpr double kRounding = 1e-9;
  const auto unit = latency_unit(nanoseconds * (1 + kRounding));
  return fmt::format("{:g} {}", nanoseconds / unit.factor, unit.name);
}

double rounded(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double step = std::pow(10, std::floor(std::log10(std::abs(value))) + 1 - digits);
  return std::round(value / step) * step;
}

std::string number_text(double value, const Unit& unit, int digits) {
  const double scaled = value / unit.factor;
  if (scaled == 0) return "0";
  if (unit.factor == 1 && std::abs(scaled) >= kWhole) return fmt::format("{:.0f}", scaled);
  if (unit.factor == 1) return fmt::format("{:.{}g}", scaled, kFullDigits - 1);
  const int decimals = unit.is_last && digits == kFullDigits
                           ? kFullDigits - 1
                           : std::max(digits - digits_before_point(scaled), 0);
  return fmt::format("{:.{}f}", scaled, decimals);
}

double step_of(double low, double high) {
  constexpr double kHidden = 0.1;  // share of the range
  const double spread = high - low;
  if (!(spread > 0)) return 0;
  const double step = std::pow(10, std::floor(std::log10(spread)));
  return high - floored(high, step) > spread * kHidden ? step / 10 : step;
}

std::string floored_text(double value, const Unit& unit, double step) {
  if (value <= 0) return number_text(value, unit);
  const double digits = std::pow(10, std::floor(std::log10(value)) + 1 - kFullDigits);
  const double least = unit.is_last ? unit.factor / kLastFactor : digits;
  step = std::max(step, least);
  const auto decimals = std::max(std::round(std::log10(unit.factor / step)), 0.0);
  return fmt::format("{:.{}f}", floored(value, step) / unit.factor, static_cast<int>(decimals));
}

std::string quantity(double value, const Unit& unit, int digits) {
  if (!std::isfinite(value)) return "unknown";
  return fmt::format("{} {}", number_text(value, unit, digits), unit.name);
}

}  // namespace manactl::report
