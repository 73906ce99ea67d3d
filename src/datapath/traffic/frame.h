// SPDX-License-Identifier: MIT
//
// The packets that senders generate: UDP over IPv4 with valid checksums.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"

namespace manactl::datapath {

// The device appends the FCS; the frame sizes of a plan include it.
inline constexpr std::size_t kFcsBytes = 4;
inline constexpr std::size_t kHeaderBytes = 14 + 20 + 8;

// The address in every ARP reply of Azure's virtual switch.
inline constexpr MacAddress kAzurePeer{{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc}};

// Defaults: RFC 2544's benchmarking network and the discard port.
inline constexpr Ipv4Address kSourceIp{0xc6120001};       // 198.18.0.1
inline constexpr Ipv4Address kDestinationIp{0xc6120002};  // 198.18.0.2
inline constexpr std::uint16_t kDestinationPort = 9;
inline constexpr std::uint16_t kFirstSourcePort = 49152;  // dynamic ports, RFC 6335

struct Flow {
  MacAddress source, destination = kAzurePeer;
  Ipv4Address source_ip = kSourceIp, destination_ip = kDestinationIp;
  std::uint16_t source_port = kFirstSourcePort, destination_port = kDestinationPort;
};

// Fills `frame` (at least kHeaderBytes, without FCS); the payload is zero.
void write_frame(const Flow& flow, std::span<std::uint8_t> frame);

// The header fields that depend on a frame's size, in network byte order. To turn a prebuilt frame
// into one of another size or flow, replace these fields, the source port and the UDP checksum.
struct Shape {
  std::uint16_t bytes = 0;  // without FCS
  std::uint16_t ip_length = 0, ip_checksum = 0, udp_length = 0;
  std::uint16_t udp_sum = 0;  // sum for the UDP checksum, without the source port
};

inline constexpr std::size_t kIpLengthAt = 16, kIpChecksumAt = 24;
inline constexpr std::size_t kSourcePortAt = 34, kUdpLengthAt = 38, kUdpChecksumAt = 40;

Shape shape_of(const Flow& flow, std::size_t bytes);

// The UDP checksum for `port` (RFC 1624), where `sum` is Shape::udp_sum. Arguments and
// result are in network byte order; a one's complement sum needs no swap (RFC 1071).
constexpr std::uint16_t udp_checksum(std::uint16_t sum, std::uint16_t port) noexcept {
  const std::uint32_t total = std::uint32_t{sum} + port;
  const auto check = static_cast<std::uint16_t>(~(total + (total >> 16U)));
  return check == 0 ? std::uint16_t{0xffff} : check;  // zero means "no checksum" (RFC 768)
}

// The internet checksum of `bytes`; `sum` is a partial sum to add, which may exceed 16 bits.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);

}  // namespace manactl::datapath
