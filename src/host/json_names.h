// SPDX-License-Identifier: MIT
//
// The words that stand for enumerators in the JSON files below manactl/.

#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "base/presence.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

inline constexpr std::array<std::pair<Errc, std::string_view>, 7> kErrcNames{{
    {Errc::not_found, "not_found"},
    {Errc::denied, "denied"},
    {Errc::busy, "busy"},
    {Errc::unsupported, "unsupported"},
    {Errc::invalid, "invalid"},
    {Errc::timeout, "timeout"},
    {Errc::io, "io"},
}};

inline constexpr std::array<std::pair<Presence, std::string_view>, 5> kPresenceNames{{
    {Presence::loaded, "loaded"},
    {Presence::builtin, "builtin"},
    {Presence::available, "available"},
    {Presence::blacklisted, "blacklisted"},
    {Presence::missing, "missing"},
}};

inline constexpr std::array<std::pair<os::Node::Type, std::string_view>, 4> kNodeTypeNames{{
    {os::Node::Type::file, "file"},
    {os::Node::Type::directory, "directory"},
    {os::Node::Type::character_device, "character_device"},
    {os::Node::Type::other, "other"},
}};

template <class Names, class Value>
std::string_view name_of(const Names& names, Value value) {
  for (const auto& [candidate, name] : names) {
    if (candidate == value) return name;
  }
  return "";
}

template <class Value, std::size_t N>
std::optional<Value> value_of(const std::array<std::pair<Value, std::string_view>, N>& names,
                              std::string_view name) {
  for (const auto& [value, candidate] : names) {
    if (candidate == name) return value;
  }
  return std::nullopt;
}

}  // namespace manactl::host
