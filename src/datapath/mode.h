// SPDX-License-Identifier: MIT
//
// The traffic modes of bench: one row of kModes for each. A new mode is a row here and a burst in
// each engine that supports it (dpdk/modes.h, verbs/modes.cpp).

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/enum_words.h"

namespace manactl::datapath {

enum class Mode : std::uint8_t { tx, rx, txrx, fwd, rtt };

struct ModeRow {
  Mode mode;
  std::string_view name;        // in options and JSON
  std::string_view summary;     // verb phrase for the help text
  std::string_view alias = {};  // testpmd's name, accepted as well; may be empty
  bool sends = false;
  bool receives = false;
  bool generates_packets = false;   // sends packets of its own, not received ones
  bool measures_latency = false;    // sends requests that contain their sending time
  std::uint16_t min_frame = 64;     // bytes on the wire, with FCS
  std::string_view no_search = {};  // why a loss search is impossible; empty if it is possible
};

// In the order of the enumerators, which row_of() requires.
inline constexpr std::array kModes = {
    ModeRow{.mode = Mode::tx,
            .name = "tx",
            .summary = "send",
            .alias = "txonly",
            .sends = true,
            .generates_packets = true,
            .no_search = "a sender does not see what arrives"},
    ModeRow{.mode = Mode::rx,
            .name = "rx",
            .summary = "receive",
            .alias = "rxonly",
            .receives = true,
            .no_search = "a receiver does not know what was sent"},
    ModeRow{.mode = Mode::txrx,
            .name = "txrx",
            .summary = "both",
            .sends = true,
            .receives = true,
            .generates_packets = true},
    ModeRow{.mode = Mode::fwd,
            .name = "fwd",
            .summary = "forward",
            .alias = "io",
            .sends = true,
            .receives = true,
            .no_search = "a forwarder sends only what it receives"},
    ModeRow{.mode = Mode::rtt,
            .name = "rtt",
            .summary = "time requests",
            .sends = true,
            .receives = true,
            .generates_packets = true,
            .measures_latency = true,
            .min_frame = 78},  // kMinRequestFrame of traffic/requests.h
};

constexpr const ModeRow& row_of(Mode mode) {
  return kModes[static_cast<std::size_t>(mode)];
}

constexpr std::string_view name_of(Mode mode) {
  return row_of(mode).name;
}

inline constexpr auto kModeWords = [] {
  EnumWords<Mode, kModes.size()> words{};
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = {kModes[i].mode, kModes[i].name};
  return words;
}();

constexpr std::optional<Mode> find_mode(std::string_view name) {
  for (const auto& row : kModes) {
    if (row.name == name || (!row.alias.empty() && row.alias == name)) return row.mode;
  }
  return std::nullopt;
}

constexpr bool sends(Mode mode) {
  return row_of(mode).sends;
}

constexpr bool receives(Mode mode) {
  return row_of(mode).receives;
}

constexpr bool generates_packets(Mode mode) {
  return row_of(mode).generates_packets;
}

// True if the mode sends the packets that it receives.
constexpr bool forwards(Mode mode) {
  return sends(mode) && !generates_packets(mode);
}

constexpr bool measures_latency(Mode mode) {
  return row_of(mode).measures_latency;
}

}  // namespace manactl::datapath
