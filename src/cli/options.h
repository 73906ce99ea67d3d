// SPDX-License-Identifier: MIT
//
// How commands describe their options. Every value is read by a strict parser, and what it refuses
// becomes one line that names the option.

#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"
#include "base/result.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace manactl::cli {

// Words that completion understands as the type of a value; all others are only shown in help.
namespace type {
inline constexpr std::string_view kInterface = "IFACE";
inline constexpr std::string_view kCheck = "ID";
inline constexpr std::string_view kWhen = "auto|always|never";
inline constexpr std::string_view kPageSize = "2M|1G";
inline constexpr std::string_view kMethod = "auto|driver-override|new-id";
inline constexpr std::string_view kReader = "testpmd|eal|vpp|env|json";
inline constexpr std::string_view kWire = "KIND";
inline constexpr std::string_view kBytes = "HEX|FILE|-";
inline constexpr std::string_view kOrder = "auto|bytes|words";
inline constexpr std::string_view kBackend = "sink|loopback|cross|generator|pcap|tap";
inline constexpr std::string_view kEngine = "inline|threaded";
inline constexpr std::string_view kBenchEngine = "auto|dpdk|verbs";
inline constexpr std::string_view kDoorbell = "auto|poll|trap|call";
inline constexpr std::string_view kPackets = "1|4|8";
inline constexpr std::string_view kFile = "FILE";
inline constexpr std::string_view kOutput = "json|ndjson|csv|table|html";
inline constexpr std::string_view kPlainOutput = "json|table|html";
inline constexpr std::string_view kResult = "RESULT";
inline constexpr std::string_view kDirectory = "DIR";
}  // namespace type

struct Spec {
  std::string name;  // "--queues", "-v,--verbose" or a positional "IFACE"
  std::string_view type;
  std::string description;
  bool repeatable = false;
};

using Take = std::function<Result<>(const std::string&)>;

CLI::Option* add_value(CLI::App& app, const Spec& spec, Take take);
CLI::Option* add_flag(CLI::App& app,
                      const std::string& name,
                      bool& target,
                      std::string description);

// [least, most], decimal digits alone.
Result<std::uint16_t> parse_count(std::string_view text, std::uint16_t least, std::uint16_t most);

// "10", "1.5", "500ms", "2m": seconds, more than 0 and at most a day.
Result<double> parse_duration(std::string_view text);

// "2", "0.5%": a share, 0 to 1 for 0 to 100.
Result<double> parse_share(std::string_view text);

// Decimal digits with or without a point, nothing else: no sign, no exponent.
std::optional<double> parse_decimal(std::string_view text);

// Text that can be handed to somebody else: not empty, no control characters.
Result<std::string> parse_text(std::string_view text, std::string_view what);

// A Take that stores what `parse` answers.
template <class T, class Parse>
Take into(T& target, Parse parse) {
  return [&target, parse](const std::string& text) -> Result<> {
    auto value = parse(text);
    if (!value) return tl::unexpected<Error>(std::move(value.error()));
    target = std::move(*value);
    return {};
  };
}

}  // namespace manactl::cli
