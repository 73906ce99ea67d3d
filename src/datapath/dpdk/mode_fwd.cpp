// SPDX-License-Identifier: MIT
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <span>

#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/request.h"

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

// Requests of mode rtt go back to who asked. Nobody else's packets are read but the first of a
// burst, until requests have come.
void answer(Lane& lane, rte_mbuf* const* packets, unsigned count) noexcept {
  lane.answers = lane.answers || request_in(bytes_in(packets[0]));
  if (!lane.answers) return;
  for (unsigned i = 0; i < count; ++i) {
    const auto frame = bytes_in(packets[i]);
    if (request_in(frame)) turn_round(frame);
  }
}

// As testpmd's io: packets leave as they came, addresses and all.
unsigned forward(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  auto bytes = bytes_of(packets, 0, count);
  lane.count_received(count, bytes);
  answer(lane, packets, count);
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

const ModeRow kFwd{Mode::fwd, nullptr, &work<forward>};

}  // namespace manactl::datapath::dpdk
