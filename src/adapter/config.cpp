// SPDX-License-Identifier: MIT

#include "adapter/config.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "base/enum_words.h"
#include "base/text.h"

namespace manactl::adapter {
namespace {

constexpr std::uint64_t kMaxMicroseconds = 10'000'000;
constexpr std::uint64_t kMaxPackets = 1'000'000'000, kMaxBits = 1'000'000'000'000;

constexpr EnumWords<Threading, 2> kThreadingWords = {
    {{Threading::direct, "inline"}, {Threading::threaded, "threaded"}}};
constexpr EnumWords<DoorbellSource, 4> kSourceWords = {{{DoorbellSource::automatic, "auto"},
                                                        {DoorbellSource::poll, "poll"},
                                                        {DoorbellSource::trap, "trap"},
                                                        {DoorbellSource::call, "call"}}};
constexpr EnumWords<BackendKind, 6> kBackendWords = {{{BackendKind::sink, "sink"},
                                                      {BackendKind::loopback, "loopback"},
                                                      {BackendKind::cross, "cross"},
                                                      {BackendKind::generator, "generator"},
                                                      {BackendKind::pcap, "pcap"},
                                                      {BackendKind::tap, "tap"}}};

template <class E, std::size_t N>
Result<> set_choice(const EnumWords<E, N>& table, std::string_view text, E& into) {
  const auto value = value_of(table, text);
  if (!value) {
    return fail(Errc::invalid,
                fmt::format("'{}' is not one of {}", printable(text), join(words_of(table), ", ")));
  }
  into = *value;
  return {};
}

template <class T>
Result<> set_number(std::string_view text, T& into, std::uint64_t min, std::uint64_t max) {
  const auto value = parse_unsigned(text);
  if (!value) return tl::unexpected<Error>(value.error());
  if (*value < min || *value > max) {
    return fail(Errc::invalid, fmt::format("{} is not between {} and {}", *value, min, max));
  }
  into = static_cast<T>(*value);
  return {};
}

Result<> add_fault(std::string_view text, Config& config) {
  const auto fault = Fault::parse(text);
  if (!fault) return tl::unexpected<Error>(fault.error());
  config.faults.push_back(*fault);
  return {};
}

Result<> add_descriptor(std::string_view text, std::vector<int>& into) {
  into.push_back(-1);
  return set_number(text, into.back(), 0, INT32_MAX);
}

Result<> set_coalesce(std::string_view text, Config& config) {
  const auto packets = parse_unsigned(text, UINT32_MAX);
  if (!packets || (*packets != 1 && *packets != 4 && *packets != 8)) {
    return fail(Errc::invalid, fmt::format("'{}' is not 1, 4 or 8", printable(text, 60)));
  }
  config.coalesce = static_cast<std::uint32_t>(*packets);
  return {};
}

Result<> set_microseconds(std::string_view text, std::uint64_t& nanoseconds) {
  auto good = set_number(text, nanoseconds, 0, kMaxMicroseconds);
  nanoseconds *= 1000;
  return good;
}

Result<> set_mac(std::string_view text, Config& config) {
  const auto mac = MacAddress::parse(text);
  if (!mac) return tl::unexpected<Error>(mac.error());
  if (mac->is_multicast() || mac->is_zero()) {
    return fail(Errc::invalid, fmt::format("{} is not a unicast address", mac->str()));
  }
  config.mac = *mac;
  return {};
}

struct Setting {
  std::string_view name;
  Result<> (*set)(std::string_view text, Config& config);
};

constexpr std::uint64_t kMax32 = UINT32_MAX;

constexpr Setting kSettings[] = {
    {"ports", [](auto text, auto& config) { return set_number(text, config.ports, 1, kMaxPorts); }},
    {"queues",
     [](auto text, auto& config) { return set_number(text, config.queues, 1, kQueuesPerPort); }},
    {"mac", set_mac},
    {"engine",
     [](auto text, auto& config) { return set_choice(kThreadingWords, text, config.threading); }},
    {"doorbell",
     [](auto text, auto& config) { return set_choice(kSourceWords, text, config.doorbell); }},
    {"backend",
     [](auto text, auto& config) { return set_choice(kBackendWords, text, config.backend); }},
    {"frame",
     [](auto text, auto& config) { return set_number(text, config.frame_bytes, 60, 9018); }},
    {"frames",
     [](auto text, auto& config) { return set_number(text, config.frames, 0, UINT64_MAX); }},
    {"part", [](auto text, auto& config) { return set_number(text, config.part_id, 0, kMax32); }},
    {"coalesce", set_coalesce},
    {"pps",
     [](auto text, auto& config) {
       return set_number(text, config.link.packets_per_second, 1, kMaxPackets);
     }},
    {"bps",
     [](auto text, auto& config) {
       return set_number(text, config.link.bits_per_second, 1000, kMaxBits);
     }},
    {"latency",
     [](auto text, auto& config) { return set_microseconds(text, config.link.latency_ns); }},
    {"jitter",
     [](auto text, auto& config) { return set_microseconds(text, config.link.jitter_ns); }},
    {"root",
     [](auto text, auto& config) {
       config.root = std::string(text);
       return Result<>();
     }},
    {"counters",
     [](auto text, auto& config) { return set_number(text, config.counters, 0, INT32_MAX); }},
    {"read", [](auto text, auto& config) { return set_number(text, config.read, 0, INT32_MAX); }},
    {"write", [](auto text, auto& config) { return add_descriptor(text, config.write); }},
    {"tap", [](auto text, auto& config) { return add_descriptor(text, config.tap); }},
    {"fault", add_fault},
};

const Setting* find_setting(std::string_view name) {
  for (const auto& setting : kSettings) {
    if (setting.name == name) return &setting;
  }
  return nullptr;
}

Result<> apply(std::string_view word, Config& config) {
  const auto at = word.find('=');
  const auto name = word.substr(0, at);
  if (const auto* setting = find_setting(name);
      setting != nullptr && at != std::string_view::npos) {
    const auto good = setting->set(word.substr(at + 1), config);
    return good ? Result<>() : because(good.error(), name);
  }
  std::vector<std::string> names;
  for (const auto& setting : kSettings) names.emplace_back(setting.name);
  const auto near = nearest(name, names);
  return fail(
      Errc::invalid,
      fmt::format("unknown setting '{}' of the adapter{}",
                  printable(word),
                  near.empty() ? std::string() : fmt::format("; did you mean '{}='?", near)));
}

// Rejects settings that contradict each other.
Result<> check_combination(const Config& config) {
  if (config.threading == Threading::direct && config.doorbell == DoorbellSource::poll) {
    return fail(Errc::invalid, "doorbell=poll needs engine=threaded, whose thread polls the page");
  }
  if (config.backend == BackendKind::cross && config.ports % 2 != 0) {
    return fail(Errc::invalid, "backend=cross connects pairs of ports: ports= must be even");
  }
  return {};
}

}  // namespace

Result<> Config::check(std::string_view key, std::string_view value) {
  if (words(value).size() != 1 || words(value).front() != value) {
    return fail(Errc::invalid,
                fmt::format("'{}' is empty or contains spaces", printable(value, 60)));
  }
  Config ignored;
  return find_setting(key)->set(value, ignored);
}

Result<Config> Config::parse(std::string_view text) {
  Config config;
  for (const auto word : words(text)) {
    const auto good = apply(word, config);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  const auto good = check_combination(config);
  if (!good) return tl::unexpected<Error>(good.error());
  return config;
}

MacAddress Config::mac_of(std::uint32_t port) const {
  auto address = mac;
  std::uint32_t low = 0;
  for (std::size_t i = 3; i < 6; ++i) low = (low << 8U) | address.bytes[i];
  low += port;
  for (std::size_t i = 6; i > 3; --i, low >>= 8U) {
    address.bytes[i - 1] = static_cast<std::uint8_t>(low & 0xffU);
  }
  return address;
}

}  // namespace manactl::adapter
