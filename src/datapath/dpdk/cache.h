// SPDX-License-Identifier: MIT
//
// Moves packets between a burst and the mempool cache of the calling thread. rte_mempool_get_bulk()
// and rte_mempool_put_bulk() do the same with up to three times the instructions: the former
// reverses the order, and the latter checks the alignment.

#pragma once

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include <cstring>

namespace manactl::datapath::dpdk {

inline constexpr unsigned kUnrolled = 8;

inline void copy_pointers(void** to, void* const* from, unsigned count) noexcept {
  for (; count >= kUnrolled; count -= kUnrolled, to += kUnrolled, from += kUnrolled)
    std::memcpy(to, from, kUnrolled * sizeof *from);
  for (; count != 0; --count) *to++ = *from++;
}

// Takes packets from the pool; false if it has too few.
[[gnu::always_inline]] inline bool take_packets(rte_mempool* pool,
                                                rte_mbuf** packets,
                                                unsigned count) noexcept {
  auto** objects = reinterpret_cast<void**>(packets);
  auto* cache = rte_mempool_default_cache(pool, rte_lcore_id());
  if (cache == nullptr || cache->len < count) [[unlikely]]
    return rte_mempool_get_bulk(pool, objects, count) == 0;
  cache->len -= count;
  copy_pointers(objects, cache->objs + cache->len, count);
  return true;
}

// Puts packets back into their pool, which may be sent again unchanged.
[[gnu::always_inline]] inline void put_packets(rte_mempool* pool,
                                               rte_mbuf** packets,
                                               unsigned count) noexcept {
  auto** objects = reinterpret_cast<void**>(packets);
  auto* cache = rte_mempool_default_cache(pool, rte_lcore_id());
  if (cache == nullptr || cache->len + count > cache->flushthresh) [[unlikely]] {
    rte_mempool_put_bulk(pool, objects, count);
    return;
  }
  copy_pointers(cache->objs + cache->len, objects, count);
  cache->len += count;
}

}  // namespace manactl::datapath::dpdk
