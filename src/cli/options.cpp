// SPDX-License-Identifier: MIT

#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <utility>

#include "base/characters.h"
#include "base/text.h"
#include "cli/arguments.h"

namespace manactl::cli {
namespace {

// "12" or "1.5": digits, and at most one dot with digits on both sides.
bool is_plain_number(std::string_view text) {
  const auto parts = split(text, '.');
  return parts.size() <= 2 && std::all_of(parts.begin(), parts.end(), [](std::string_view part) {
           return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
         });
}

struct Unit {
  std::string_view type;  // of the option, as in help
  std::string_view typed;
  std::string_view accepted;
};

constexpr Unit kUnits[] = {
    {"TIME", "ms", "ms"},        {"TIME", "msec", "ms"},      {"TIME", "s", "s"},
    {"TIME", "sec", "s"},        {"TIME", "secs", "s"},       {"TIME", "second", "s"},
    {"TIME", "seconds", "s"},    {"TIME", "m", "m"},          {"TIME", "min", "m"},
    {"TIME", "mins", "m"},       {"TIME", "minute", "m"},     {"TIME", "minutes", "m"},
    {"TIME", "h", "h"},          {"TIME", "hour", "h"},       {"TIME", "hours", "h"},
    {"PERCENT", "%", "%"},       {"PERCENT", "percent", "%"}, {"RATE", "pps", "pps"},
    {"RATE", "kpps", "kpps"},    {"RATE", "Mpps", "Mpps"},    {"RATE", "Mbps", "Mbps"},
    {"RATE", "Gbps", "Gbps"},    {"RATE", "%", "%"},          {"N|SIZE|none", "M", "M"},
    {"N|SIZE|none", "G", "G"},   {"N|SIZE|none", "MB", "M"},  {"N|SIZE|none", "GB", "G"},
    {"N|SIZE|none", "MiB", "M"}, {"N|SIZE|none", "GiB", "G"}};

// Returns the refused value with another unit, if the option accepts that: "; did you mean '1G'?"
// for "1GB". May store the suggested value, because the error ends the command.
std::string suggest_unit(std::string_view type,
                         std::string_view value,
                         const ValueHandler& handler) {
  const auto digits = value.substr(0, value.find_first_not_of("0123456789."));
  const auto unit = accepted_unit(type, value.substr(digits.size()));
  const auto suggested = fmt::format("{}{}", digits, unit);
  if (unit.empty() || !handler(suggested)) return {};
  return fmt::format("; did you mean '{}'?", suggested);
}

}  // namespace

std::string_view accepted_unit(std::string_view type, std::string_view typed) {
  const auto* unit = std::ranges::find_if(kUnits, [&](const Unit& row) {
    return row.type == type && lower(row.typed) == lower(typed);
  });
  return unit == std::end(kUnits) ? std::string_view() : unit->accepted;
}

CLI::Option* add_value(CLI::App& app, const OptionSpec& spec, ValueHandler handler) {
  const auto comma = spec.name.rfind(',');  // errors name the long form of "-o,--output"
  const auto callback = [name =
                             comma == std::string::npos ? spec.name : spec.name.substr(comma + 1),
                         type = spec.type,
                         handler = std::move(handler)](const CLI::results_t& values) {
    for (const auto& value : values) {
      const auto stored = handler(value);
      if (stored) continue;
      throw CLI::ValidationError(name, stored.error().message + suggest_unit(type, value, handler));
    }
    return true;
  };
  auto* option = app.add_option(spec.name, callback, spec.description);
  option->type_name(std::string(spec.type))->type_size(1);
  // Without allow_extra_args(false), CLI11 adds all following words to a repeatable option.
  if (spec.repeatable) option->expected(1, -1)->allow_extra_args(false);
  return option;
}

CLI::Option* add_flag(CLI::App& app,
                      const std::string& name,
                      bool& target,
                      std::string description) {
  auto* option = app.add_flag(name, target, std::move(description));
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return option;
}

Result<std::uint16_t> parse_count(std::string_view text, std::uint16_t min, std::uint16_t max) {
  const auto number = parse_unsigned(text);
  if (!number || *number < min || *number > max) {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a number from {} to {}", printable(text), min, max));
  }
  return static_cast<std::uint16_t>(*number);
}

Result<double> parse_duration(std::string_view text) {
  const auto refuse = [&] {
    return fail(Errc::invalid,
                fmt::format("'{}' is not a duration from 1ms to one day (examples: 10, 1.5, 500ms, "
                            "2m, 1h)",
                            printable(text)));
  };
  constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ms", 0.001}, {"s", 1}, {"m", 60}, {"h", 3600}};
  constexpr double kMax = 86400;
  constexpr double kMin = 0.001;
  std::string_view digits = text;
  double unit = 1;
  for (const auto& [suffix, seconds] : kUnits) {
    if (!digits.ends_with(suffix)) continue;
    digits.remove_suffix(suffix.size());
    unit = seconds;
    break;
  }
  const auto number = parse_decimal(digits);
  if (!number) return refuse();
  const double seconds = *number * unit;
  if (!(seconds >= kMin && seconds <= kMax)) return refuse();
  return seconds;
}

Result<double> parse_share(std::string_view text) {
  constexpr double kPercent = 100;
  const auto value = parse_decimal(text.ends_with('%') ? text.substr(0, text.size() - 1) : text);
  if (value && *value <= kPercent) return *value / kPercent;
  return fail(
      Errc::invalid,
      fmt::format("'{}' is not a percentage from 0 to 100 (examples: 2, 0.5%)", printable(text)));
}

std::optional<double> parse_decimal(std::string_view text) {
  if (!is_plain_number(text)) return std::nullopt;
  double value = 0;
  // from_chars() always uses a decimal point; strtod() would depend on the locale.
  const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
  return error == std::errc{} && end == text.end() ? std::optional(value) : std::nullopt;
}

std::optional<double> parse_scaled(std::string_view text) {
  constexpr std::pair<char, double> kFactors[] = {{'k', 1e3}, {'m', 1e6}, {'g', 1e9}};
  for (const auto& [letter, factor] : kFactors) {
    if (text.empty() || lower(text.back()) != letter) continue;
    const auto number = parse_decimal(text.substr(0, text.size() - 1));
    return number ? std::optional(*number * factor) : std::nullopt;
  }
  return parse_decimal(text);
}

Result<std::string> parse_text(std::string_view text, std::string_view what) {
  const bool control =
      std::any_of(text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
  if (text.empty() || control) {
    return fail(Errc::invalid, fmt::format("'{}' is not {}", printable(text), what));
  }
  return std::string(text);
}

Error not_one_of(std::string_view text, const std::vector<std::string>& words) {
  return {
      Errc::invalid,
      0,
      fmt::format(
          "'{}' is not one of {}{}", printable(text), join(words, ", "), suggestion(text, words))};
}

}  // namespace manactl::cli
