// SPDX-License-Identifier: MIT
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <span>

#include "datapath/dpdk/modes.h"
#include "datapath/traffic/requests.h"

namespace manactl::datapath::dpdk {

namespace {

std::uint64_t bytes_of(rte_mbuf* const* packets, unsigned from, unsigned to) noexcept {
  std::uint64_t bytes = 0;
  for (unsigned i = from; i < to; ++i) bytes += packets[i]->pkt_len;
  return bytes;
}

std::span<std::uint8_t> bytes_in(rte_mbuf* packet) noexcept {
  return {rte_pktmbuf_mtod(packet, std::uint8_t*), packet->data_len};
}

// Turns requests of mode rtt into replies. Before the first request, only the first packet of each
// burst is inspected, to save time.
void reply_to_requests(Lane& lane, rte_mbuf* const* packets, unsigned count) noexcept {
  lane.sends_replies = lane.sends_replies || request_in(bytes_in(packets[0]));
  if (!lane.sends_replies) return;
  for (unsigned i = 0; i < count; ++i) {
    const auto frame = bytes_in(packets[i]);
    if (request_in(frame)) reverse_direction(frame);
  }
}

// Like testpmd's forward mode "io", sends packets unchanged, except requests of mode rtt.
unsigned forward(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  auto bytes = bytes_of(packets, 0, count);
  lane.count_received(count, bytes);
  reply_to_requests(lane, packets, count);
  const unsigned sent =
      rte_eth_tx_burst(lane.out_port, lane.queue, packets, static_cast<std::uint16_t>(count));
  if (sent < count) [[unlikely]] {
    bytes -= bytes_of(packets, sent, count);
    rte_pktmbuf_free_bulk(packets + sent, count - sent);
    lane.counters.tx_missed.add(count - sent);
  }
  lane.count_sent(sent, bytes);
  return count;
}

}  // namespace

const ModeBursts kFwd{Mode::fwd, nullptr, &work<Lane, forward>};

}  // namespace manactl::datapath::dpdk
