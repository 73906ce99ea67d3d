// SPDX-License-Identifier: MIT
//
// Parses the headers of Ethernet frames, for RSS, and checks their checksums.

#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "wire/codec.h"

namespace manactl::adapter {

using Frame = wire::Bytes;

inline constexpr std::size_t kEthernetBytes = 14;  // the header of a frame, without a tag
inline constexpr std::size_t kVlanBytes = 4;       // an 802.1Q tag

// Load and store a number of `size` bytes in network byte order.
constexpr std::uint32_t load_be(std::span<const std::uint8_t> bytes,
                                std::size_t at,
                                std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = (value << 8U) | bytes[at + i];
  return value;
}

constexpr void store_be(std::span<std::uint8_t> bytes,
                        std::size_t at,
                        std::size_t size,
                        std::uint32_t value) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[at + i] = static_cast<std::uint8_t>((value >> (8 * (size - 1 - i))) & 0xffU);
  }
}

// The ones' complement sum of 16-bit words (RFC 1071), folded to 16 bits.
constexpr std::uint32_t internet_sum(std::span<const std::uint8_t> bytes, std::uint32_t start = 0) {
  std::uint64_t total = start;
  for (std::size_t i = 0; i < bytes.size(); i += 2) {
    total += std::uint32_t{bytes[i]} << 8U;
    if (i + 1 < bytes.size()) total += bytes[i + 1];
  }
  while (total > 0xffff) total = (total & 0xffffU) + (total >> 16U);
  return static_cast<std::uint32_t>(total);
}

constexpr std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes,
                                          std::uint32_t start = 0) {
  return static_cast<std::uint16_t>(~internet_sum(bytes, start));
}

enum class Layer3 : std::uint8_t { none, ipv4, ipv6 };
enum class Layer4 : std::uint8_t { none, tcp, udp };

struct Packet {
  Layer3 l3 = Layer3::none;
  Layer4 l4 = Layer4::none;  // none for IP fragments
  std::size_t l3_offset = 0, l4_offset = 0;
  std::size_t l4_bytes = 0;  // bytes of layer 4 according to the IP header; 0 if truncated
  std::optional<std::uint16_t> vlan_id;  // of the 802.1Q tag after the addresses
};

// True if an 802.1Q tag follows the addresses.
inline bool is_tagged(Frame frame) {
  return frame.size() >= 14 && load_be(frame, 12, 2) == 0x8100;
}

// Parses the headers. Skips one VLAN tag. Packets with IPv6 extension headers have no layer 4.
Packet inspect(Frame frame);

bool is_ip_checksum_valid(Frame frame, const Packet& packet);  // the header checksum of IPv4
bool is_l4_checksum_valid(Frame frame, const Packet& packet);

// The sum over the pseudo header of TCP or UDP.
std::uint32_t pseudo_sum(Frame frame, const Packet& packet);

}  // namespace manactl::adapter
