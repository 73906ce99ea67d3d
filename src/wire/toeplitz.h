// SPDX-License-Identifier: MIT
//
// The Toeplitz hash with which the device spreads packets over receive queues.
// Sources: facts 4.1 and 4.6; "Verifying the RSS Hash Calculation" of the NDIS documentation.

#pragma once

#include "wire/codec.h"

namespace manactl::wire {

inline constexpr std::size_t kHashKeyBytes = 40;
// Addresses and ports of IPv6: as much as the key has room for.
inline constexpr std::size_t kMaxHashInput = kHashKeyBytes - 4;

using HashKey = std::array<std::uint8_t, kHashKeyBytes>;

// `input` is source address, destination address and, for TCP and UDP, source port and destination
// port, as they are in the packet. Bytes after kMaxHashInput do not count.
constexpr std::uint32_t toeplitz(const HashKey& key, Bytes input) {
  std::uint32_t hash = 0;
  std::uint32_t window = 0;  // the 32 bits of the key that belong to the bit in turn
  for (std::size_t i = 0; i < 4; ++i) window = window << 8U | key[i];
  for (std::size_t i = 0; i < input.size() && i < kMaxHashInput; ++i) {
    for (unsigned bit = 8; bit-- > 0;) {
      if ((input[i] >> bit & 1U) != 0) hash ^= window;
      window = window << 1U | (key[i + 4] >> bit & 1U);
    }
  }
  return hash;
}

// The same with the work for a key done once: a table look-up for each byte, for who hashes every
// packet. 36 KiB.
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
  // The hash is linear: a byte's is that of its bits together.
  constexpr void set(std::size_t at, unsigned bit, std::uint32_t hash) {
    for (std::size_t byte = 0; byte < 256; ++byte) {
      if ((byte >> bit & 1U) != 0) rows_[at][byte] ^= hash;
    }
  }

  std::array<std::array<std::uint32_t, 256>, kMaxHashInput> rows_{};
};

}  // namespace manactl::wire
