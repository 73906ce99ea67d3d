// SPDX-License-Identifier: MIT
//
// One burst in, and the packets back to where they came from.

#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstddef>

#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

// Sixteen bytes of a packet's header at once; both compilers make vector instructions of it.
using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;

constexpr bool kKnownLayout =
    offsetof(rte_mbuf, refcnt) == 18 && offsetof(rte_mbuf, nb_segs) == 20 &&
    offsetof(rte_mbuf, ol_flags) == 24 && offsetof(rte_mbuf, pkt_len) == 36 &&
    offsetof(rte_mbuf, pool) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

struct Seen {
  std::uint64_t bytes = 0;
  bool whole = true;  // every packet may go back to the pool as it is
};

// Direct, not shared, one segment, and of this pool: what rte_mempool_put_bulk() asks for.
inline Seen look_plainly(rte_mbuf* const* packets,
                         unsigned count,
                         const rte_mempool* pool) noexcept {
  Seen seen;
  for (unsigned i = 0; i < count; ++i) {
    const auto* packet = packets[i];
    seen.bytes += packet->pkt_len;
    seen.whole = seen.whole && packet->refcnt == 1 && packet->nb_segs == 1 &&
                 packet->pool == pool &&
                 (packet->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL)) == 0;
  }
  return seen;
}

// The same in half the instructions. A live packet has at least one reference and one segment, so
// an OR over the burst that gives one means one in each; equal pools survive both an AND and an OR.
struct Overlay {
  using Halves [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;

  Words flags_or = {0, 0};
  Words pool_and = {~0ULL, ~0ULL}, pool_or = {0, 0};
  Halves lengths = {0, 0, 0, 0};

  void add(const rte_mbuf* packet) noexcept {
    const auto* words = reinterpret_cast<const Words*>(packet);
    flags_or |= words[1];
    lengths += reinterpret_cast<const Halves*>(packet)[2];
    pool_and &= words[3];
    pool_or |= words[3];
  }
};

inline Seen look_quickly(rte_mbuf* const* packets,
                         unsigned count,
                         const rte_mempool* pool) noexcept {
  Overlay all;
  unsigned i = 0;
  for (; i + 4 <= count; i += 4) {
    all.add(packets[i]);
    all.add(packets[i + 1]);
    all.add(packets[i + 2]);
    all.add(packets[i + 3]);
  }
  for (; i < count; ++i) all.add(packets[i]);
  constexpr std::uint64_t kCounts = 0xffff'ffff'0000;  // refcnt and nb_segs
  constexpr std::uint64_t kOnes = 0x0001'0001'0000;
  constexpr std::uint64_t kElsewhere = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;
  const auto address = reinterpret_cast<std::uintptr_t>(pool);
  return {all.lengths[1],
          (all.flags_or[0] & kCounts) == kOnes && (all.flags_or[1] & kElsewhere) == 0 &&
              all.pool_and[1] == address && all.pool_or[1] == address};
}

// Frees received packets, and answers their bytes without FCS. In line, because a call saves and
// restores what the loop has in registers.
[[gnu::always_inline]] inline std::uint64_t put_away(rte_mbuf** packets, unsigned count) noexcept {
  auto* pool = packets[0]->pool;
  const auto seen =
      kKnownLayout ? look_quickly(packets, count, pool) : look_plainly(packets, count, pool);
  if (seen.whole) [[likely]] {
    rte_mempool_put_bulk(pool, reinterpret_cast<void**>(packets), count);
  } else {
    rte_pktmbuf_free_bulk(packets, count);
  }
  return seen.bytes;
}

inline unsigned receive(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  lane.count_received(count, put_away(packets, count));
  return count;
}

}  // namespace manactl::datapath::dpdk
