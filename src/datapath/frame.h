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

// The internet checksum over `bytes`, on top of a `sum` that is not folded yet.
std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum = 0);

}  // namespace manactl::datapath
