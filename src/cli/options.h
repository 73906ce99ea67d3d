// SPDX-License-Identifier: MIT
//
// Adds options to commands, and parses their values strictly. Error messages name the option.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_words.h"
#include "base/ids.h"
#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace manactl::cli {

// Value types, as help shows them. Completion suggests values of the type, or the words in "a|b".
namespace type {
inline constexpr std::string_view kInterface = "IFACE";
inline constexpr std::string_view kCheck = "ID";
inline constexpr std::string_view kUse = "kernel|dpdk";
inline constexpr std::string_view kWaitGoal = "vf|ready|prepared";
inline constexpr std::string_view kWhen = "auto|always|never";
inline constexpr std::string_view kPageSize = "64K|2M|32M|512M|1G|16G";
inline constexpr std::string_view kMethod = "auto|driver-override|new-id";
inline constexpr std::string_view kProfile = "default|throughput|latency";
inline constexpr std::string_view kAddress = "ADDRESS";
inline constexpr std::string_view kSetting = "NAME=VALUE";
inline constexpr std::string_view kArgsFormat = "testpmd|eal|ovs|suricata|vpp|spdk|env|json";
inline constexpr std::string_view kDpdkProgram =
    kArgsFormat.substr(0, kArgsFormat.rfind('|'));  // without "json"
inline constexpr std::string_view kWireKind = "KIND";
inline constexpr std::string_view kBytes = "HEX|FILE|-";
inline constexpr std::string_view kOrder = "auto|bytes|words";
inline constexpr std::string_view kBackend = "sink|loopback|cross|generator|pcap|tap";
inline constexpr std::string_view kEngine = "inline|threaded";
inline constexpr std::string_view kDoorbell = "auto|poll|trap|call";
inline constexpr std::string_view kPackets = "1|4|8";
inline constexpr std::string_view kShell = "bash|zsh|fish";
inline constexpr std::string_view kVdev = "DEVICE";
inline constexpr std::string_view kFault = "FAULT";
inline constexpr std::string_view kGoals = "GOALS";
inline constexpr std::string_view kProgram = "COMMAND";
inline constexpr std::string_view kFile = "FILE";
inline constexpr std::string_view kOutput = "text|json|ndjson|csv|html";
inline constexpr std::string_view kDocumentOutput = "text|json|html";
inline constexpr std::string_view kStatusOutput = "text|json|ndjson";
inline constexpr std::string_view kTextOutput = "text|json";
inline constexpr std::string_view kMetric = "rate|cpu-time|instructions|delivered";
inline constexpr std::string_view kResult = "RESULT";
inline constexpr std::string_view kDirectory = "DIR";
inline constexpr std::string_view kBenchOption = "OPTION";  // an option for the runs of bench ab
}  // namespace type

struct OptionSpec {
  std::string name;  // "--queues", "-v,--verbose", or "IFACE" for a positional argument
  std::string_view type;
  std::string description;
  bool repeatable = false;
};

// Returns the spelling that options of this type accept for a unit: "s" for "sec". Empty if the
// unit is unknown.
std::string_view accepted_unit(std::string_view type, std::string_view typed);

// Parses and stores one value of an option.
using ValueHandler = std::function<Result<>(const std::string&)>;

CLI::Option* add_value(CLI::App& app, const OptionSpec& spec, ValueHandler handler);
CLI::Option* add_flag(CLI::App& app,
                      const std::string& name,
                      bool& target,
                      std::string description);

// Accepts decimal digits only, and values from `min` to `max`.
Result<std::uint16_t> parse_count(std::string_view text, std::uint16_t min, std::uint16_t max);

// Accepts "10", "1.5" (seconds), "500ms" or "2m". Returns seconds, from 0.001 to one day.
Result<double> parse_duration(std::string_view text);

// Accepts a percentage with or without the sign, "2" or "0.5%". Returns a fraction from 0 to 1.
Result<double> parse_share(std::string_view text);

// Accepts decimal digits with an optional point, but no sign or exponent.
std::optional<double> parse_decimal(std::string_view text);

// Accepts a decimal number with a factor in any case: "2.5G" is 2.5e9. Also k and M.
std::optional<double> parse_scaled(std::string_view text);

// Returns `text`. Fails if it is empty or has control characters; `what` names the expected value
// in the error: "a path".
Result<std::string> parse_text(std::string_view text, std::string_view what);

// Returns a handler that stores the value returned by `parse` in `target`.
template <class T, class Parse>
ValueHandler store_in(T& target, Parse parse) {
  return [&target, parse](const std::string& text) -> Result<> {
    auto value = parse(text);
    if (!value) return tl::unexpected<Error>(std::move(value.error()));
    target = std::move(*value);
    return {};
  };
}

// "'jsn' is not one of json, table; did you mean 'json'?"
Error not_one_of(std::string_view text, const std::vector<std::string>& words);

// Returns a handler that stores the value of a word in `table`, which must outlive the handler.
template <class T, class E, std::size_t N>
ValueHandler store_word_in(T& target, const EnumWords<E, N>& table) {
  return [&target, &table](const std::string& text) -> Result<> {
    const auto value = value_of(table, text);
    if (value) target = *value;  // NOLINT(bugprone-optional-value-conversion): T may be optional
    std::vector<std::string> words;
    for (const auto& row : table) words.emplace_back(row.word);
    return value ? Result<>() : tl::unexpected<Error>(not_one_of(text, words));
  };
}

}  // namespace manactl::cli
