// SPDX-License-Identifier: MIT

#include "adapter/net/offload.h"

#include <algorithm>
#include <optional>

namespace manactl::adapter {
namespace {

constexpr std::uint8_t kFinPsh = 0x01 | 0x08;

struct Headers {
  bool v6 = false;
  std::size_t tcp = 0;  // offset of the TCP header
};

std::optional<Headers> headers_of(std::span<const std::uint8_t> frame, std::size_t header_bytes) {
  if (header_bytes > frame.size() || header_bytes < kEthernetBytes + 40) return std::nullopt;
  const auto ethertype = load_be(frame, 12, 2);
  const auto ip = kEthernetBytes;
  if (ethertype == 0x0800 && frame[ip] >> 4U == 4 && frame[ip + 9] == 6) {
    const Headers headers{false, ip + (frame[ip] & 0xfU) * std::size_t{4}};
    if (headers.tcp >= ip + 20 && headers.tcp + 20 <= header_bytes) return headers;
  }
  if (ethertype == 0x86dd && frame[ip + 6] == 6 && ip + 60 <= header_bytes) {
    return Headers{true, ip + 40};
  }
  return std::nullopt;
}

void finish(std::vector<std::uint8_t>& frame, const Headers& headers, std::size_t index) {
  const auto ip = kEthernetBytes;
  const auto tcp_bytes = static_cast<std::uint32_t>(frame.size() - headers.tcp);
  const std::span<const std::uint8_t> bytes = frame;
  std::uint32_t pseudo = 6 + tcp_bytes;
  if (headers.v6) {
    store_be(frame, ip + 4, 2, tcp_bytes);
    pseudo = internet_sum(bytes.subspan(ip + 8, 32), pseudo);
  } else {
    store_be(frame, ip + 2, 2, static_cast<std::uint32_t>(frame.size() - ip));
    store_be(frame, ip + 4, 2, load_be(frame, ip + 4, 2) + static_cast<std::uint32_t>(index));
    store_be(frame, ip + 10, 2, 0);
    store_be(frame, ip + 10, 2, internet_checksum(bytes.subspan(ip, headers.tcp - ip)));
    pseudo = internet_sum(bytes.subspan(ip + 12, 8), pseudo);
  }
  store_be(frame, headers.tcp + 16, 2, 0);
  store_be(frame, headers.tcp + 16, 2, internet_checksum(bytes.subspan(headers.tcp), pseudo));
}

}  // namespace

void fill_checksums(std::vector<std::uint8_t>& frame, bool ip_header) {
  const auto packet = inspect(frame);
  if (packet.l3 == Layer3::ipv4 && ip_header) {
    const auto at = packet.l3_offset;
    store_be(frame, at + 10, 2, 0);
    const auto header = Frame(frame).subspan(at, packet.l4_offset - at);
    store_be(frame, at + 10, 2, internet_checksum(header));
  }
  if (packet.l4 == Layer4::none || packet.l4_bytes == 0) return;
  const bool udp = packet.l4 == Layer4::udp;
  const auto at = packet.l4_offset + (udp ? 6 : 16);
  if (!udp && packet.l4_bytes < 20) return;
  // Clear the pseudo-header sum that the driver stored here, because pseudo_sum() is added below.
  store_be(frame, at, 2, 0);
  const auto bytes = Frame(frame).subspan(packet.l4_offset, packet.l4_bytes);
  const auto sum = internet_checksum(bytes, pseudo_sum(frame, packet));
  store_be(frame, at, 2, udp && sum == 0 ? 0xffff : sum);
}

void insert_tag(std::vector<std::uint8_t>& frame, wire::Bytes oob) {
  const auto tag = static_cast<std::uint32_t>(wire::load(oob, 8, 4)) >> 16U;
  // The OOB contains PCP, DEI and VLAN ID in this order, from the lowest bit up (struct
  // mana_tx_long_oob, Linux include/net/mana/mana.h).
  const auto control = ((tag & 7U) << 13U) | (((tag >> 3U) & 1U) << 12U) | (tag >> 4U);
  std::array<std::uint8_t, 4> bytes{};
  store_be(bytes, 0, 2, 0x8100);
  store_be(bytes, 2, 2, control);
  frame.insert(frame.begin() + 12, bytes.begin(), bytes.end());
}

std::vector<std::vector<std::uint8_t>> segment(std::span<const std::uint8_t> frame,
                                               std::size_t header_bytes,
                                               std::size_t unit) {
  const auto headers = headers_of(frame, header_bytes);
  if (!headers || unit == 0) return {};
  const auto header = frame.first(header_bytes);
  const auto payload = frame.subspan(header_bytes);
  const auto sequence = load_be(header, headers->tcp + 4, 4);
  std::vector<std::vector<std::uint8_t>> segments;
  for (std::size_t at = 0; at < payload.size(); at += unit) {
    const auto piece = payload.subspan(at, std::min(unit, payload.size() - at));
    std::vector<std::uint8_t> one(header.begin(), header.end());
    one.insert(one.end(), piece.begin(), piece.end());
    store_be(one, headers->tcp + 4, 4, sequence + static_cast<std::uint32_t>(at));
    const bool last = at + piece.size() == payload.size();
    if (!last) {
      auto& flags = one[headers->tcp + 13];
      flags = static_cast<std::uint8_t>(flags & ~unsigned{kFinPsh});
    }
    finish(one, *headers, segments.size());
    segments.push_back(std::move(one));
  }
  return segments;
}

}  // namespace manactl::adapter
