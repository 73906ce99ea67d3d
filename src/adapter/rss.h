// SPDX-License-Identifier: MIT
//
// Receive side scaling: Toeplitz over the addresses of a packet, and the indirection table.

#pragma once

#include <array>
#include <memory>
#include <vector>

#include "adapter/packet.h"

namespace manactl::adapter {

inline constexpr std::size_t kHashKeyBytes = 40;
inline constexpr std::size_t kIndirectionEntries = 64;

using HashKey = std::array<std::uint8_t, kHashKeyBytes>;

class Toeplitz {
 public:
  explicit Toeplitz(const HashKey& key);

  // Over the first `count` bytes of `input`; at most 36.
  std::uint32_t hash(std::span<const std::uint8_t> input) const;

 private:
  static constexpr std::size_t kMaxInput = 36;

  // What each value of each half byte adds.
  std::array<std::array<std::uint32_t, 16>, kMaxInput * 2> table_{};
};

// Which headers are hashed.
struct HashFields {
  bool ipv4 = true, ipv6 = true, tcp = true, udp = true;
};

struct Hash {
  std::uint32_t value = 0;
  std::uint16_t type = 0;  // one bit of a receive completion's hash_type; 0: not hashed
};

class Rss {
 public:
  Rss(const HashKey& key, HashFields fields, std::vector<std::uint32_t> queues);

  Hash hash(Frame frame, const Packet& packet) const;

  // The queue of a hash: the table's entries are repeated to 64, as the kernel does.
  std::uint32_t queue(std::uint32_t hash) const {
    return queues_[hash % kIndirectionEntries % queues_.size()];
  }

  const std::vector<std::uint32_t>& queues() const { return queues_; }

 private:
  Toeplitz toeplitz_;
  HashFields fields_;
  std::vector<std::uint32_t> queues_;
};

}  // namespace manactl::adapter
