// SPDX-License-Identifier: MIT
//
// One burst in, and the packets back to where they came from.

#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "datapath/dpdk/lane.h"
#include "datapath/dpdk/look.h"

namespace manactl::datapath::dpdk {

// Frees received packets, and answers their bytes without FCS. In line, because a call saves and
// restores what the loop has in registers.
[[gnu::always_inline]] inline std::uint64_t put_away(rte_mbuf** packets, unsigned count) noexcept {
  auto* pool = packets[0]->pool;
  const auto seen = look(packets, count, pool);
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
