// SPDX-License-Identifier: MIT
#include "datapath/traffic/frame.h"

#include <algorithm>
#include <cstring>
#include <vector>

namespace manactl::datapath {

namespace {

constexpr std::uint8_t kUdp = 17;

// Appends big-endian fields.
class Writer {
 public:
  explicit Writer(std::span<std::uint8_t> out) : out_(out) {}

  Writer& mac(const MacAddress& address) {
    for (const auto byte : address.bytes) u8(byte);
    return *this;
  }

  Writer& u8(std::uint8_t value) {
    out_[at_++] = value;
    return *this;
  }

  Writer& u16(std::size_t value) {
    return u8(static_cast<std::uint8_t>(value >> 8U)).u8(static_cast<std::uint8_t>(value));
  }

  Writer& u32(std::uint32_t value) { return u16(value >> 16U).u16(value & 0xffffU); }

 private:
  std::span<std::uint8_t> out_;
  std::size_t at_ = 0;
};

std::uint32_t halves(Ipv4Address address) {
  return (address.value >> 16U) + (address.value & 0xffffU);
}

}  // namespace

std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes, std::uint32_t sum) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += (i % 2 == 0) ? static_cast<std::uint32_t>(bytes[i]) << 8U : bytes[i];
  }
  while ((sum >> 16U) != 0) sum = (sum & 0xffffU) + (sum >> 16U);
  return static_cast<std::uint16_t>(~sum);
}

void write_frame(const Flow& flow, std::span<std::uint8_t> frame) {
  std::fill(frame.begin(), frame.end(), std::uint8_t{0});
  const auto ip = frame.subspan(14);
  const auto udp = ip.subspan(20);

  Writer(frame).mac(flow.destination).mac(flow.source).u16(0x0800);
  // Version 4, header of 5 words, DSCP 0; don't fragment; TTL 64.
  Writer(ip).u8(0x45).u8(0).u16(ip.size()).u16(0).u16(0x4000).u8(64).u8(kUdp).u16(0);
  Writer(ip.subspan(12)).u32(flow.source_ip.value).u32(flow.destination_ip.value);
  Writer(ip.subspan(10)).u16(internet_checksum(ip.first(20)));

  Writer(udp).u16(flow.source_port).u16(flow.destination_port).u16(udp.size()).u16(0);
  const auto pseudo = halves(flow.source_ip) + halves(flow.destination_ip) + kUdp +
                      static_cast<std::uint32_t>(udp.size());
  const auto checksum = internet_checksum(udp, pseudo);
  // Zero means "no checksum" (RFC 768).
  Writer(udp.subspan(6)).u16(checksum == 0 ? 0xffffU : checksum);
}

Shape shape_of(const Flow& flow, std::size_t bytes) {
  std::vector<std::uint8_t> frame(bytes);
  auto without_port = flow;
  without_port.source_port = 0;
  write_frame(without_port, frame);
  const auto field = [&](std::size_t at) {
    std::uint16_t value = 0;
    std::memcpy(&value, frame.data() + at, sizeof value);
    return value;
  };
  return {static_cast<std::uint16_t>(bytes),
          field(kIpLengthAt),
          field(kIpChecksumAt),
          field(kUdpLengthAt),
          static_cast<std::uint16_t>(~field(kUdpChecksumAt))};
}

}  // namespace manactl::datapath
