// SPDX-License-Identifier: MIT
//
// What the headers of received packets say, all of them together, in two ways that answer the same.

#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstddef>
#include <cstdint>

namespace manactl::datapath::dpdk {

// Sixteen bytes of a packet's header at once; both compilers make vector instructions of it.
using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;

constexpr bool kKnownLayout =
    offsetof(rte_mbuf, refcnt) == 18 && offsetof(rte_mbuf, nb_segs) == 20 &&
    offsetof(rte_mbuf, ol_flags) == 24 && offsetof(rte_mbuf, pkt_len) == 36 &&
    offsetof(rte_mbuf, pool) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

constexpr std::uint64_t kCountsMask =
    0xffff'ffff'0000;  // refcnt and nb_segs, as they lie in a word
constexpr std::uint64_t kOneEach = 0x0001'0001'0000;
constexpr std::uint64_t kElsewhere = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;

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
                 packet->pool == pool && (packet->ol_flags & kElsewhere) == 0;
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
  const auto address = reinterpret_cast<std::uintptr_t>(pool);
  return {all.lengths[1],
          (all.flags_or[0] & kCountsMask) == kOneEach && (all.flags_or[1] & kElsewhere) == 0 &&
              all.pool_and[1] == address && all.pool_or[1] == address};
}

inline Seen look(rte_mbuf* const* packets, unsigned count, const rte_mempool* pool) noexcept {
  return kKnownLayout ? look_quickly(packets, count, pool) : look_plainly(packets, count, pool);
}

}  // namespace manactl::datapath::dpdk
