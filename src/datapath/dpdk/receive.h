// SPDX-License-Identifier: MIT
//
// Receives one burst and returns the packets to their pool.

#pragma once

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "datapath/dpdk/cache.h"
#include "datapath/dpdk/inspect.h"
#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

// Frees received packets and returns their bytes without FCS. Always inlined, because a call would
// spill the registers of the loop.
[[gnu::always_inline]] inline std::uint64_t free_packets(rte_mbuf** packets,
                                                         unsigned count) noexcept {
  auto* pool = packets[0]->pool;
  const auto burst = inspect(packets, count, pool);
  if (burst.poolable) [[likely]] {
    put_packets(pool, packets, count);
  } else {
    rte_pktmbuf_free_bulk(packets, count);
  }
  return burst.bytes;
}

inline unsigned receive(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  lane.count_received(count, free_packets(packets, count));
  return count;
}

}  // namespace manactl::datapath::dpdk
