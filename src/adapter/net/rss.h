// SPDX-License-Identifier: MIT
//
// Receive side scaling (RSS): the Toeplitz hash of addresses and ports, and the indirection table.

#pragma once

#include <vector>

#include "adapter/net/packet.h"
#include "wire/toeplitz.h"

namespace manactl::adapter {

using wire::HashKey;
using wire::kHashKeyBytes;

inline constexpr std::size_t kIndirectionEntries = 64;

struct Hash {
  std::uint32_t value = 0;
  std::uint16_t type = 0;  // one bit of a receive completion's hash_type; 0: not hashed
};

class Rss {
 public:
  // Hashes the addresses of IPv4 and IPv6, and the ports of TCP and UDP: the verbs' selection of
  // fields has no effect, because mana_ib_create_qp_rss() of Linux ignores it.
  Rss(const HashKey& key, std::vector<std::uint32_t> queues);

  Hash hash(Frame frame, const Packet& packet) const;

  // The ID of the RQ for a hash. A table of fewer than 64 entries is repeated to 64, as
  // mana_ib_cfg_vport_steering() does (Linux drivers/infiniband/hw/mana/qp.c).
  std::uint32_t queue(std::uint32_t hash) const {
    return queues_[hash % kIndirectionEntries % queues_.size()];
  }

  const std::vector<std::uint32_t>& queues() const { return queues_; }

 private:
  wire::ToeplitzTable toeplitz_;
  std::vector<std::uint32_t> queues_;
};

}  // namespace manactl::adapter
