// SPDX-License-Identifier: MIT
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

namespace {

unsigned receive_replies(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  auto now = request_time();
  unsigned replies = 0;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto* frame = rte_pktmbuf_mtod(packets[i], const std::uint8_t*);
    if (!lane.requests->take({frame, packets[i]->data_len}, now)) continue;
    bytes += packets[i]->pkt_len;
    ++replies;
  }
  free_packets(packets, count);
  lane.count_received(replies, bytes);
  return count;
}

unsigned exchange_requests(Lane& lane, std::uint64_t now) noexcept {
  const auto received = receive_replies(lane, now);
  auto& requests = *lane.requests;
  const auto max = requests.window.available(request_time());
  if (max == 0) return received;
  const auto sent = send_at_most(lane, now, max, [&](rte_mbuf* const* packets, unsigned count) {
    requests.write(count, [packets](unsigned i) {
      return reinterpret_cast<std::uint8_t*>(packets[i]) + kFrameAt + kHeaderBytes;
    });
  });
  requests.sent(sent);
  return received + sent;
}

// Allows at most one burst of each queue in flight.
Result<> prepare(const BenchPlan& plan, const Flow& flow, Lane& lane) {
  lane.requests = std::make_unique<Requests>(plan.burst);
  return make_traffic(plan, flow, lane);
}

}  // namespace

// A visit is one burst, so that no queue waits for a second burst of another queue.
const ModeBursts kRtt{
    Mode::rtt, &prepare, &work_and_drain<Lane, exchange_requests, receive_replies, 1>};

}  // namespace manactl::datapath::dpdk
