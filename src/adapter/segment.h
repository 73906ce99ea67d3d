// SPDX-License-Identifier: MIT
//
// TCP segmentation: one large frame becomes several, each with its own headers.

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace manactl::adapter {

// `header_bytes` is where the payload starts, `unit` the payload of each segment but the last one.
// No frames when the headers are not Ethernet, IPv4 or IPv6, and TCP, in those bytes.
std::vector<std::vector<std::uint8_t>> segment(std::span<const std::uint8_t> frame,
                                               std::size_t header_bytes,
                                               std::size_t unit);

}  // namespace manactl::adapter
