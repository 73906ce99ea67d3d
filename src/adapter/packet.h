// SPDX-License-Identifier: MIT
//
// What a device finds in the headers of a frame: the flow for RSS, and whether checksums are right.

#pragma once

#include <array>

#include "adapter/backend.h"

namespace manactl::adapter {

enum class Layer3 : std::uint8_t { none, ipv4, ipv6 };
enum class Layer4 : std::uint8_t { none, tcp, udp };

struct Packet {
  Layer3 l3 = Layer3::none;
  Layer4 l4 = Layer4::none;  // not of a fragment
  std::size_t l3_offset = 0, l4_offset = 0;
  std::size_t l4_bytes = 0;  // from l4_offset, as the IP header says; 0: not all of it is there
};

// One VLAN tag is skipped. IPv6 extension headers are not followed: such packets have no layer 4.
Packet inspect(Frame frame);

bool ip_checksum_right(Frame frame, const Packet& packet);  // of IPv4
bool l4_checksum_right(Frame frame, const Packet& packet);

// The sum over the pseudo header of TCP or UDP.
std::uint32_t pseudo_sum(Frame frame, const Packet& packet);

}  // namespace manactl::adapter
