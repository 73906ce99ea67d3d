// SPDX-License-Identifier: MIT
#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

namespace {

unsigned take_answers(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  auto now = request_time();
  unsigned answers = 0;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto* frame = rte_pktmbuf_mtod(packets[i], const std::uint8_t*);
    if (!lane.requests->take({frame, packets[i]->data_len}, now)) continue;
    bytes += packets[i]->pkt_len;
    ++answers;
  }
  put_away(packets, count);
  lane.count_received(answers, bytes);
  return count;
}

unsigned ask_and_listen(Lane& lane, std::uint64_t now) noexcept {
  const auto received = take_answers(lane, now);
  auto& requests = *lane.requests;
  const auto room = requests.window.room(request_time());
  if (room == 0) return received;
  const auto sent = send_at_most(lane, now, room, [&](rte_mbuf* const* packets, unsigned count) {
    requests.write(count, [packets](unsigned i) {
      return reinterpret_cast<std::uint8_t*>(packets[i]) + kFrameAt + kHeaderBytes;
    });
  });
  requests.sent(sent);
  return received + sent;
}

// One burst is the most that is on the way from a queue.
Result<> begin(const BenchPlan& plan, const Flow& flow, Lane& lane) {
  lane.requests = std::make_unique<Requests>(plan.burst);
  return make_traffic(plan, flow, lane);
}

}  // namespace

// No queue waits for a second burst of another's.
const ModeRow kRtt{Mode::rtt, &begin, &work_and_drain<ask_and_listen, take_answers, 1>};

}  // namespace manactl::datapath::dpdk
