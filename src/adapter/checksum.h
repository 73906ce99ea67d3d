// SPDX-License-Identifier: MIT
//
// Numbers in network order, and the internet checksum.

#pragma once

#include <cstdint>
#include <span>

namespace manactl::adapter {

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

// The ones' complement sum of 16-bit words, folded to 16 bits.
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

}  // namespace manactl::adapter
