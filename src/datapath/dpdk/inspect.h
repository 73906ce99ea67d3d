// SPDX-License-Identifier: MIT
//
// Summarizes the mbufs of a received burst of at least one packet. Two implementations return the
// same result.

#pragma once

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace manactl::datapath::dpdk {

// Sixteen bytes of an mbuf, which GCC and Clang load with one vector instruction.
using Words [[gnu::vector_size(16), gnu::may_alias]] = std::uint64_t;

constexpr bool kKnownLayout =
    offsetof(rte_mbuf, refcnt) == 18 && offsetof(rte_mbuf, nb_segs) == 20 &&
    offsetof(rte_mbuf, ol_flags) == 24 && offsetof(rte_mbuf, pkt_len) == 36 &&
    offsetof(rte_mbuf, pool) == 56 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

constexpr std::uint64_t kCountsMask = 0xffff'ffff'0000;  // refcnt and nb_segs within their word
constexpr std::uint64_t kCountsAllOne = 0x0001'0001'0000;
constexpr std::uint64_t kForeignData = RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL;

struct BurstSummary {
  std::uint64_t bytes = 0;
  bool poolable = true;  // all packets can be returned to the pool unchanged
};

// A packet is poolable if it is direct, has one reference and one segment, and is from this pool.
inline BurstSummary inspect_each(rte_mbuf* const* packets,
                                 unsigned count,
                                 const rte_mempool* pool) noexcept {
  BurstSummary summary;
  for (unsigned i = 0; i < count; ++i) {
    const auto* packet = packets[i];
    summary.bytes += packet->pkt_len;
    summary.poolable = summary.poolable && packet->refcnt == 1 && packet->nb_segs == 1 &&
                       packet->pool == pool && (packet->ol_flags & kForeignData) == 0;
  }
  return summary;
}

// Combines the mbufs of a burst for inspect_vectorized(). refcnt and nb_segs are never 0, so they
// are all 1 if their OR is 1.
struct Overlay {
  using Halves [[gnu::vector_size(16), gnu::may_alias]] = std::uint32_t;

  Words flags_or = {0, 0};
  Halves lengths = {0, 0, 0, 0};

  // False if the packet is from another pool: branching takes one instruction fewer than combining
  // the pointers to the pools.
  bool add(const rte_mbuf* packet, const rte_mempool* pool) noexcept {
    flags_or |= reinterpret_cast<const Words*>(packet)[1];
    lengths += reinterpret_cast<const Halves*>(packet)[2];
    return packet->pool == pool;
  }
};

// Executes half as many instructions as inspect_each().
inline BurstSummary inspect_vectorized(rte_mbuf* const* packets,
                                       unsigned count,
                                       const rte_mempool* pool) noexcept {
  // `pool` is usually that of the first packet. Without this barrier, GCC reuses its value in the
  // loop, which takes three more instructions per iteration.
  std::atomic_signal_fence(std::memory_order_acquire);
  Overlay all;
  auto* const* next = packets;
  auto* const* const end = packets + count;
  for (auto* const* const last = packets + (count & ~7U); next != last; next += 8) {
    if (!all.add(next[0], pool) || !all.add(next[1], pool) || !all.add(next[2], pool) ||
        !all.add(next[3], pool) || !all.add(next[4], pool) || !all.add(next[5], pool) ||
        !all.add(next[6], pool) || !all.add(next[7], pool)) [[unlikely]]
      return inspect_each(packets, count, pool);
  }
  for (; next != end; ++next) {
    if (!all.add(*next, pool)) [[unlikely]]
      return inspect_each(packets, count, pool);
  }
  const Words wrong =
      (all.flags_or & Words{kCountsMask, kForeignData}) ^ Words { kCountsAllOne, 0 };
  return {all.lengths[1], (wrong[0] | wrong[1]) == 0};
}

inline BurstSummary inspect(rte_mbuf* const* packets,
                            unsigned count,
                            const rte_mempool* pool) noexcept {
  return kKnownLayout ? inspect_vectorized(packets, count, pool)
                      : inspect_each(packets, count, pool);
}

}  // namespace manactl::datapath::dpdk
