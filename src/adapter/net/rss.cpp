// SPDX-License-Identifier: MIT

#include "adapter/net/rss.h"

#include <algorithm>
#include <array>
#include <utility>

namespace manactl::adapter {
namespace {

// Returns the bit in hash_type. Bits 0 to 5 are IPv4, TCP4, UDP4, IPv6, TCP6 and UDP6.
constexpr std::uint16_t type_bit(Layer3 l3, Layer4 l4) {
  const auto shift = (l3 == Layer3::ipv6 ? 3U : 0U) + static_cast<unsigned>(l4);
  return static_cast<std::uint16_t>(1U << shift);
}

}  // namespace

Rss::Rss(const HashKey& key, std::vector<std::uint32_t> queues)
    : toeplitz_(key), queues_(std::move(queues)) {}

Hash Rss::hash(Frame frame, const Packet& packet) const {
  const bool v4 = packet.l3 == Layer3::ipv4;
  if (packet.l3 == Layer3::none) return {};
  std::array<std::uint8_t, wire::kMaxHashInput> input{};
  const std::size_t addresses = v4 ? 8 : 32;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(packet.l3_offset + (v4 ? 12 : 8)),
              addresses,
              input.begin());
  const bool ports = packet.l4 != Layer4::none;
  if (ports) {
    std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(packet.l4_offset),
                4,
                input.begin() + static_cast<std::ptrdiff_t>(addresses));
  }
  const auto size = addresses + (ports ? 4U : 0U);
  return {toeplitz_(std::span(input).first(size)), type_bit(packet.l3, packet.l4)};
}

}  // namespace manactl::adapter
