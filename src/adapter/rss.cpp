// SPDX-License-Identifier: MIT

#include "adapter/rss.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace manactl::adapter {
namespace {

// Bits of hash_type: IPv4, TCP4, UDP4, IPv6, TCP6, UDP6.
constexpr std::uint16_t type_bit(Layer3 l3, Layer4 l4) {
  const auto shift = (l3 == Layer3::ipv6 ? 3U : 0U) + static_cast<unsigned>(l4);
  return static_cast<std::uint16_t>(1U << shift);
}

// 32 bits of the key, from bit `from`.
std::uint32_t window(const HashKey& key, std::size_t from) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto at = from / 8 + i;
    bits = (bits << 8U) | (at < key.size() ? key[at] : 0U);
  }
  return static_cast<std::uint32_t>((bits >> (8 - from % 8)) & 0xffffffffU);
}

}  // namespace

Toeplitz::Toeplitz(const HashKey& key) {
  // One bit of a value at a time: what the value without its lowest bit adds is known by then.
  for (std::size_t nibble = 0; nibble < table_.size(); ++nibble) {
    auto& sums = table_[nibble];
    for (std::size_t value = 1; value < sums.size(); ++value) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(value));
      sums[value] = sums[value & (value - 1)] ^ window(key, nibble * 4 + 3 - lowest);
    }
  }
}

std::uint32_t Toeplitz::hash(std::span<const std::uint8_t> input) const {
  std::uint32_t hash = 0;
  const auto size = std::min(input.size(), kMaxInput);
  for (std::size_t i = 0; i < size; ++i) {
    hash ^= table_[2 * i][input[i] >> 4U] ^ table_[2 * i + 1][input[i] & 0xfU];
  }
  return hash;
}

Rss::Rss(const HashKey& key, HashFields fields, std::vector<std::uint32_t> queues)
    : toeplitz_(key), fields_(fields), queues_(std::move(queues)) {}

Hash Rss::hash(Frame frame, const Packet& packet) const {
  const bool v4 = packet.l3 == Layer3::ipv4;
  if (packet.l3 == Layer3::none || !(v4 ? fields_.ipv4 : fields_.ipv6)) return {};
  std::array<std::uint8_t, 36> input{};
  const std::size_t addresses = v4 ? 8 : 32;
  std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(packet.l3_offset + (v4 ? 12 : 8)),
              addresses,
              input.begin());
  const bool ports =
      (packet.l4 == Layer4::tcp && fields_.tcp) || (packet.l4 == Layer4::udp && fields_.udp);
  if (ports) {
    std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(packet.l4_offset),
                4,
                input.begin() + static_cast<std::ptrdiff_t>(addresses));
  }
  const auto size = addresses + (ports ? 4U : 0U);
  return {toeplitz_.hash(std::span(input).first(size)),
          type_bit(packet.l3, ports ? packet.l4 : Layer4::none)};
}

}  // namespace manactl::adapter
