// SPDX-License-Identifier: MIT
//
// Large TCP frames for tests of segmentation.

#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

namespace manactl::adapter {

// Ethernet, IP and TCP headers (54 bytes with IPv4, 74 with IPv6) and `payload` bytes.
inline std::vector<std::uint8_t> tcp_frame(bool v6, std::size_t payload) {
  const std::size_t ip_bytes = v6 ? 40 : 20;
  std::vector<std::uint8_t> frame(14 + ip_bytes + 20 + payload);
  frame[12] = v6 ? 0x86 : 0x08;
  frame[13] = v6 ? 0xdd : 0x00;
  frame[14] = v6 ? 0x60 : 0x45;
  frame[14 + (v6 ? 6 : 9)] = 6;
  for (std::size_t i = v6 ? 22 : 26; i < 14 + ip_bytes; ++i)
    frame[i] = static_cast<std::uint8_t>(i);
  const auto tcp = 14 + ip_bytes;
  frame[tcp + 4] = 0xff;  // the sequence number is about to wrap
  frame[tcp + 5] = frame[tcp + 6] = frame[tcp + 7] = 0xff;
  frame[tcp + 12] = 0x50;
  frame[tcp + 13] = 0x19;  // ACK, PSH, FIN
  std::iota(frame.begin() + static_cast<std::ptrdiff_t>(tcp + 20), frame.end(), std::uint8_t{1});
  return frame;
}

}  // namespace manactl::adapter
