// SPDX-License-Identifier: MIT
//
// The packet that is sent: UDP over IPv4 with both checksums right. No DPDK here, so that the bytes
// can be tested without it.

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ids.h"

namespace manactl::datapath {

inline constexpr std::size_t kFcsBytes = 4;  // added by the device, part of frame_bytes
inline constexpr std::size_t kHeaderBytes = 14 + 20 + 8;

// Azure's switch answers every neighbour with this address.
inline constexpr MacAddress kAzurePeer{{0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc}};

// RFC 2544's network for measurements, and the discard port.
inline constexpr Ipv4Address kSourceIp{0xc6120001};       // 198.18.0.1
inline constexpr Ipv4Address kDestinationIp{0xc6120002};  // 198.18.0.2
inline constexpr std::uint16_t kDestinationPort = 9;
inline constexpr std::uint16_t kFirstSourcePort = 49152;  // + queue: one flow per queue

struct Flow {
  MacAddress source, destination = kAzurePeer;
  Ipv4Address source_ip = kSourceIp, destination_ip = kDestinationIp;
  std::uint16_t source_port = kFirstSourcePort, destination_port = kDestinationPort;
};

// Fills `frame` (at least kHeaderBytes, without FCS); the payload is zero.
void write_frame(const Flow& flow, std::span<std::uint8_t> frame);

// The fields that tell frames of one flow and of several sizes apart, in the order of their bytes
// in memory. With them a finished frame becomes one of another size or source port in a few stores.
struct Shape {
  std::uint16_t bytes = 0;  // without FCS
  std::uint16_t ip_length = 0, ip_checksum = 0, udp_length = 0;
  std::uint16_t udp_sum = 0;  // of all that the UDP checksum covers, but the source port
};

inline constexpr std::size_t kIpLengthAt = 16, kIpChecksumAt = 24;
inline constexpr std::size_t kSourcePortAt = 34, kUdpLengthAt = 38, kUdpChecksumAt = 40;

Shape shape_of(const Flow& flow, std::size_t bytes);

// RFC 1624's update, the old port being out of `sum` already. Sums and ports are in memory's order:
// a one's complement sum does not care for the order of bytes, as long as it is one.
constexpr std::uint16_t udp_checksum(std::uint16_t sum, std::uint16_t port) noexcept {
  const std::uint32_t total = std::uint32_t{sum} + port;
  const auto check = static_cast<std::uint16_t>(~(total + (total >> 16U)));
  return check == 0 ? std::uint16_t{0xffff} : check;  // zero would mean "no checksum" (RFC 768)
}

// The internet checksum over `bytes`, on top of a `sum` that is not folded yet.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);

}  // namespace manactl::datapath
