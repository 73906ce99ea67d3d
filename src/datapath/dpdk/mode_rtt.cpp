// SPDX-License-Identifier: MIT
#include <ctime>

#include "datapath/dpdk/loop.h"
#include "datapath/dpdk/modes.h"
#include "datapath/dpdk/receive.h"
#include "datapath/dpdk/send.h"

namespace manactl::datapath::dpdk {

namespace {

std::uint64_t clock_now() noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

unsigned take_answers(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto** packets = lane.packets.data();
  const unsigned count = rte_eth_rx_burst(lane.port, lane.queue, packets, lane.burst);
  lane.counters.count_poll(count, lane.burst);
  if (count == 0) return 0;
  const auto now = clock_now();
  auto& requests = *lane.requests;
  unsigned answers = 0;
  std::uint64_t bytes = 0;
  for (unsigned i = 0; i < count; ++i) {
    const auto* frame = rte_pktmbuf_mtod(packets[i], const std::uint8_t*);
    const auto request = request_in({frame, packets[i]->data_len});
    if (!request || request->run != requests.next.run || request->lane >= requests.askers.size() ||
        request->stamp > now) {
      ++requests.answers.strangers;
      continue;
    }
    requests.latency.add(now - request->stamp);
    requests.askers[request->lane]->answered(1);
    if (!requests.orders[request->lane].in_order(request->number)) ++requests.answers.reordered;
    bytes += packets[i]->pkt_len;
    ++answers;
  }
  put_away(packets, count);
  lane.count_received(answers, bytes);
  return count;
}

// All requests of a burst have the time at which the last of them was ready.
void stamp(Request request, rte_mbuf* const* packets, unsigned count) noexcept {
  request.stamp = clock_now();
  for (unsigned i = 0; i < count; ++i) {
    auto* payload = reinterpret_cast<std::uint8_t*>(packets[i]) + kFrameAt + kHeaderBytes;
    write_request(request, RequestBytes(payload, kRequestBytes));
    ++request.number;
  }
}

unsigned ask_and_listen(Lane& lane, std::uint64_t now) noexcept {
  const auto received = take_answers(lane, now);
  auto& requests = *lane.requests;
  const auto room = requests.window.room(clock_now());
  if (room == 0) return received;
  const auto sent = send_at_most(lane, now, room, [&](rte_mbuf* const* packets, unsigned count) {
    stamp(requests.next, packets, count);
  });
  requests.next.number += sent;
  requests.window.sent(sent);
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
