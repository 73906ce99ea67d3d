// SPDX-License-Identifier: MIT
//
// Decodes a frame independently of the code that builds it.

#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "base/ids.h"

namespace manactl::datapath {

struct Decoded {
  MacAddress destination, source;
  std::size_t ip_bytes = 0, udp_bytes = 0;
  Ipv4Address source_ip, destination_ip;
  std::uint16_t source_port = 0, destination_port = 0;
  bool ip_checksum_valid = false, udp_checksum_valid = false;
};

// Returns nullopt if the frame is not UDP over IPv4 without options.
inline std::optional<Decoded> decode(std::span<const std::uint8_t> frame) {
  const auto at = [&](std::size_t i) -> std::uint32_t {
    return i + 1 < frame.size() ? frame[i] * 256U + frame[i + 1] : 0;
  };
  // With a valid checksum, the one's complement sum of all covered bytes is 0xffff.
  const auto is_valid = [&](std::size_t from, std::size_t to, std::uint64_t sum) {
    for (auto i = from; i < to; i += 2) sum += i + 1 < to ? at(i) : frame[i] * 256U;
    return sum != 0 && sum % 0xffffU == 0;
  };
  if (frame.size() < 42 || at(12) != 0x0800 || frame[14] != 0x45 || frame[23] != 17) {
    return std::nullopt;
  }
  Decoded packet;
  std::copy_n(frame.begin(), 6, packet.destination.bytes.begin());
  std::copy_n(frame.begin() + 6, 6, packet.source.bytes.begin());
  packet.ip_bytes = at(16);
  packet.udp_bytes = at(38);
  packet.source_ip.value = at(26) << 16U | at(28);
  packet.destination_ip.value = at(30) << 16U | at(32);
  packet.source_port = static_cast<std::uint16_t>(at(34));
  packet.destination_port = static_cast<std::uint16_t>(at(36));
  packet.ip_checksum_valid = is_valid(14, 34, 0);
  packet.udp_checksum_valid =
      at(40) != 0 && is_valid(26, std::min(frame.size(), 34 + packet.udp_bytes), 17 + at(38));
  return packet;
}

}  // namespace manactl::datapath
