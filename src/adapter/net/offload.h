// SPDX-License-Identifier: MIT
//
// Offloads of frames that are sent: checksums, VLAN tags and TCP segmentation.

#pragma once

#include <vector>

#include "adapter/net/packet.h"

namespace manactl::adapter {

// The bit in byte 8 of a long OOB that requests a VLAN tag.
inline constexpr std::uint8_t kInjectVlan = 1U << 3U;

// Writes the TCP or UDP checksum; if `ip_header` is true, also the checksum of the IPv4 header.
void fill_checksums(std::vector<std::uint8_t>& frame, bool ip_header);

// Inserts the VLAN tag that a long OOB contains.
void insert_tag(std::vector<std::uint8_t>& frame, wire::Bytes oob);

// TCP segmentation: one large frame becomes several, each with its own headers. The payload starts
// at `header_bytes`; each segment but the last has `unit` bytes of payload. Returns no frames
// unless the headers are Ethernet, IPv4 or IPv6, and TCP.
std::vector<std::vector<std::uint8_t>> segment(std::span<const std::uint8_t> frame,
                                               std::size_t header_bytes,
                                               std::size_t unit);

}  // namespace manactl::adapter
