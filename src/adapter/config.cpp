// SPDX-License-Identifier: MIT

#include "adapter/config.h"

#include <fmt/format.h>

#include <array>
#include <span>
#include <utility>

#include "base/text.h"

namespace manactl::adapter {
namespace {

constexpr std::uint64_t kMostMicroseconds = 10'000'000;
constexpr std::uint64_t kMostPackets = 1'000'000'000, kMostBits = 1'000'000'000'000;

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

constexpr Choice<Engine> kEngines[] = {{"inline", Engine::direct}, {"threaded", Engine::threaded}};
constexpr Choice<DoorbellSource> kSources[] = {{"auto", DoorbellSource::automatic},
                                               {"poll", DoorbellSource::poll},
                                               {"trap", DoorbellSource::trap},
                                               {"call", DoorbellSource::call}};
constexpr Choice<BackendKind> kBackends[] = {{"sink", BackendKind::sink},
                                             {"loopback", BackendKind::loopback},
                                             {"cross", BackendKind::cross},
                                             {"generator", BackendKind::generator},
                                             {"pcap", BackendKind::pcap},
                                             {"tap", BackendKind::tap}};

template <class E, std::size_t N>
Result<> choose(const Choice<E> (&choices)[N], std::string_view text, E& into) {
  std::vector<std::string> names;
  for (const auto& choice : choices) {
    if (choice.name == text) {
      into = choice.value;
      return {};
    }
    names.emplace_back(choice.name);
  }
  return fail(Errc::invalid,
              fmt::format("'{}' is not one of {}", printable(text), join(names, ", ")));
}

template <class T>
Result<> number(std::string_view text, T& into, std::uint64_t least, std::uint64_t most) {
  const auto value = parse_unsigned(text);
  if (!value) return tl::unexpected<Error>(value.error());
  if (*value < least || *value > most) {
    return fail(Errc::invalid, fmt::format("{} is not between {} and {}", *value, least, most));
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
  return number(text, into.back(), 0, INT32_MAX);
}

Result<> set_coalesce(std::string_view text, Config& config) {
  const auto packets = parse_unsigned(text, UINT32_MAX);
  if (!packets || (*packets != 1 && *packets != 4 && *packets != 8)) {
    return fail(Errc::invalid, fmt::format("'{}' is not 1, 4 or 8", printable(text, 60)));
  }
  config.coalesce = static_cast<std::uint32_t>(*packets);
  return {};
}

Result<> microseconds(std::string_view text, std::uint64_t& nanoseconds) {
  auto good = number(text, nanoseconds, 0, kMostMicroseconds);
  nanoseconds *= 1000;
  return good;
}

Result<> set_mac(std::string_view text, Config& config) {
  const auto mac = MacAddress::parse(text);
  if (!mac) return tl::unexpected<Error>(mac.error());
  if (mac->is_multicast() || mac->is_zero()) {
    return fail(Errc::invalid, fmt::format("{} is no address of a port", mac->str()));
  }
  config.mac = *mac;
  return {};
}

struct Key {
  std::string_view name;
  Result<> (*set)(std::string_view text, Config& config);
};

constexpr std::uint64_t kMost32 = UINT32_MAX;

constexpr Key kKeys[] = {
    {"ports", [](auto text, auto& config) { return number(text, config.ports, 1, kMaxPorts); }},
    {"queues",
     [](auto text, auto& config) { return number(text, config.queues, 1, kQueuesPerPort); }},
    {"mac", set_mac},
    {"engine", [](auto text, auto& config) { return choose(kEngines, text, config.engine); }},
    {"doorbell", [](auto text, auto& config) { return choose(kSources, text, config.doorbell); }},
    {"backend", [](auto text, auto& config) { return choose(kBackends, text, config.backend); }},
    {"frame", [](auto text, auto& config) { return number(text, config.frame_bytes, 60, 9018); }},
    {"frames", [](auto text, auto& config) { return number(text, config.frames, 0, UINT64_MAX); }},
    {"part", [](auto text, auto& config) { return number(text, config.part_id, 0, kMost32); }},
    {"coalesce", set_coalesce},
    {"pps",
     [](auto text, auto& config) {
       return number(text, config.link.packets_per_second, 1, kMostPackets);
     }},
    {"bps",
     [](auto text, auto& config) {
       return number(text, config.link.bits_per_second, 1000, kMostBits);
     }},
    {"latency", [](auto text, auto& config) { return microseconds(text, config.link.latency_ns); }},
    {"jitter", [](auto text, auto& config) { return microseconds(text, config.link.jitter_ns); }},
    {"root",
     [](auto text, auto& config) {
       config.root = std::string(text);
       return Result<>();
     }},
    {"ledger", [](auto text, auto& config) { return number(text, config.ledger, 0, INT32_MAX); }},
    {"read", [](auto text, auto& config) { return number(text, config.read, 0, INT32_MAX); }},
    {"write", [](auto text, auto& config) { return add_descriptor(text, config.write); }},
    {"tap", [](auto text, auto& config) { return add_descriptor(text, config.tap); }},
    {"fault", add_fault},
};

const Key* find_key(std::string_view name) {
  for (const auto& key : kKeys) {
    if (key.name == name) return &key;
  }
  return nullptr;
}

Result<> set(std::string_view word, Config& config) {
  const auto at = word.find('=');
  const auto name = word.substr(0, at);
  if (const auto* key = find_key(name); key != nullptr && at != std::string_view::npos) {
    const auto good = key->set(word.substr(at + 1), config);
    return good ? Result<>() : because(good.error(), name);
  }
  std::vector<std::string> names;
  for (const auto& key : kKeys) names.emplace_back(key.name);
  const auto near = nearest(name, names);
  return fail(Errc::invalid,
              fmt::format("'{}' is no setting of the adapter{}",
                          printable(word),
                          near.empty() ? std::string() : fmt::format(", '{}=' is", near)));
}

// What cannot go together.
Result<> consistent(const Config& config) {
  if (config.engine == Engine::direct && config.doorbell == DoorbellSource::poll) {
    return fail(Errc::invalid, "doorbell=poll needs engine=threaded: nobody else would look");
  }
  if (config.backend == BackendKind::cross && config.ports % 2 != 0) {
    return fail(Errc::invalid, "backend=cross connects ports in pairs: an even number is needed");
  }
  return {};
}

}  // namespace

Result<> Config::check(std::string_view key, std::string_view value) {
  if (words(value).size() != 1 || words(value).front() != value) {
    return fail(Errc::invalid, fmt::format("'{}' is not one word", printable(value, 60)));
  }
  Config ignored;
  return find_key(key)->set(value, ignored);
}

Result<Config> Config::parse(std::string_view text) {
  Config config;
  for (const auto word : words(text)) {
    const auto good = set(word, config);
    if (!good) return tl::unexpected<Error>(good.error());
  }
  const auto good = consistent(config);
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
