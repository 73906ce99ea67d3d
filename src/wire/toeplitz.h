// SPDX-License-Identifier: MIT
//
// The Toeplitz hash, by which the device distributes packets to receive queues (RSS).
// Source: "Verifying the RSS Hash Calculation" in Microsoft's NDIS documentation.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::size_t kHashKeyBytes = 40;
// The longest input that the key supports: the addresses and ports of IPv6.
inline constexpr std::size_t kMaxHashInput = kHashKeyBytes - 4;

using HashKey = std::array<std::uint8_t, kHashKeyBytes>;

// `input` is the source address, destination address and, for TCP and UDP, source port and
// destination port in network byte order. Bytes beyond kMaxHashInput are ignored.
constexpr std::uint32_t toeplitz(const HashKey& key, Bytes input) {
  std::uint32_t hash = 0;
  std::uint32_t window = 0;  // the 32 key bits for the current input bit
  for (std::size_t i = 0; i < 4; ++i) window = window << 8U | key[i];
  for (std::size_t i = 0; i < input.size() && i < kMaxHashInput; ++i) {
    for (unsigned bit = 8; bit-- > 0;) {
      if ((input[i] >> bit & 1U) != 0) hash ^= window;
      window = window << 1U | (key[i + 4] >> bit & 1U);
    }
  }
  return hash;
}

// The same hash with a precomputed table of 36 KiB per key, which takes one look-up per byte.
class ToeplitzTable {
 public:
  constexpr explicit ToeplitzTable(const HashKey& key) {
    for (std::size_t at = 0; at < kMaxHashInput; ++at) {
      for (unsigned bit = 0; bit < 8; ++bit) {
        std::array<std::uint8_t, kMaxHashInput> input{};
        input[at] = static_cast<std::uint8_t>(1U << bit);
        set(at, bit, toeplitz(key, input));
      }
    }
  }

  constexpr std::uint32_t operator()(Bytes input) const {
    std::uint32_t hash = 0;
    for (std::size_t i = 0; i < input.size() && i < kMaxHashInput; ++i) hash ^= rows_[i][input[i]];
    return hash;
  }

 private:
  // The hash is linear: the hash of a byte is the XOR of the hashes of its bits.
  constexpr void set(std::size_t at, unsigned bit, std::uint32_t hash) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if ((byte >> bit & 1U) != 0) rows_[at][byte] ^= hash;
    }
  }

  std::array<std::array<std::uint32_t, 256>, kMaxHashInput> rows_{};
};

}  // namespace manactl::wire
