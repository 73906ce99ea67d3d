// SPDX-License-Identifier: MIT
#include "datapath/verbs/modes.h"

#include <algorithm>
#include <array>
#include <span>

#include "datapath/traffic/requests.h"

namespace manactl::datapath::verbs {

namespace {

std::uint8_t* bytes_at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr): a buffer
}

// Sends at most `wanted` packets from the ring's head. Before that, calls finish(count) with their
// number, which may change the packets.
template <class Finish>
unsigned send_at_most(Lane& lane, std::uint64_t now, unsigned wanted, Finish finish) noexcept {
  auto& ring = *lane.tx;
  const bool limited = lane.pace.limits();
  if (limited) {
    wanted = lane.pace.due(now, wanted);
    if (wanted == 0) return 0;
  }
  ring.reclaim();
  // Send only whole bursts: a doorbell for each free slot would cost more than waiting.
  if (ring.free_entries() < wanted) {
    lane.counters.count_poll(0, wanted);
    return 0;
  }
  const auto bytes = lane.send_pattern.prepare(ring, wanted);
  finish(wanted);
  ring.post(wanted);
  if (limited) lane.pace.spend(wanted);
  lane.count_sent(wanted, bytes);
  lane.counters.tx_errors.set(ring.errors());
  lane.counters.count_poll(wanted, wanted);
  return wanted;
}

// Calls take(position, size) for every packet of a burst; returns the number of packets.
template <class Take>
unsigned take_burst(Lane& lane, Take take) noexcept {
  auto& ring = *lane.rx;
  unsigned packets = 0;
  ring.poll(lane.burst, [&](std::uint32_t position, std::uint32_t size) noexcept {
    if (size == 0) return;
    ++packets;
    take(position, size);
  });
  // A slot keeps its buffer, so posting the slots again is enough.
  if (const auto room = ring.free_entries(); room != 0) ring.post(room);
  lane.counters.count_poll(packets, lane.burst);
  return packets;
}

void count_received(Lane& lane, unsigned packets, std::uint64_t bytes) noexcept {
  lane.counters.rx_errors.set(lane.rx->errors());
  if (packets != 0) lane.count_received(packets, bytes);
}

}  // namespace

unsigned send(Lane& lane, std::uint64_t now) noexcept {
  return send_at_most(lane, now, lane.burst, [](unsigned) {});
}

unsigned receive(Lane& lane, std::uint64_t /*now*/) noexcept {
  std::uint64_t bytes = 0;
  const auto packets = take_burst(lane, [&](std::uint32_t, std::uint32_t size) { bytes += size; });
  count_received(lane, packets, bytes);
  return packets;
}

unsigned send_and_receive(Lane& lane, std::uint64_t now) noexcept {
  const auto received = receive(lane, now);
  return received + send(lane, now);
}

namespace {

// Frees the buffers of packets that were sent.
void free_sent_buffers(ForwardBuffers& buffers, const SendRing& ring) noexcept {
  for (; buffers.freed != ring.completed(); ++buffers.freed) {
    buffers.free[buffers.count++] = buffers.sending[buffers.freed & (ring.slots() - 1)];
  }
}

// Turns a request of mode rtt into its reply. Before the first request, only the first packet of
// each burst is inspected, to save time.
void answer_request(Lane& lane, std::span<std::uint8_t> frame, bool is_first) noexcept {
  if (is_first && !lane.sends_replies) lane.sends_replies = request_in(frame).has_value();
  if (lane.sends_replies && request_in(frame)) reverse_direction(frame);
}

void refill(ForwardBuffers& buffers, ReceiveRing& ring) noexcept {
  const auto count = std::min(ring.free_entries(), buffers.count);
  if (count == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    ring.at(ring.head() + i).address = buffers.free[--buffers.count];
  }
  ring.post(count);
}

}  // namespace

unsigned forward(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto& tx = *lane.tx;
  auto& rx = *lane.rx;
  auto& buffers = lane.forward_buffers;
  tx.reclaim();
  free_sent_buffers(buffers, tx);
  constexpr std::uint32_t kMaxPerCompletion = 8;  // packets
  const auto unsignaled = tx.unsignaled_wqe();
  unsigned packets = 0;
  std::uint64_t bytes = 0;
  rx.poll(std::min<std::uint32_t>(lane.burst, tx.free_entries() / kMaxPerCompletion),
          [&](std::uint32_t position, std::uint32_t size) noexcept {
            const auto buffer = rx.at(position).address;
            if (size == 0) {
              buffers.free[buffers.count++] = buffer;
              return;
            }
            answer_request(lane, {bytes_at(buffer), size}, packets == 0);
            const auto at = tx.head() + packets;
            tx.at(at) = {
                unsignaled.header, unsignaled.oob, buffer, key_and_size(buffers.key, size)};
            buffers.sending[at & (tx.slots() - 1)] = buffer;
            ++packets;
            bytes += size;
          });
  if (packets != 0) tx.post(packets);
  refill(buffers, rx);
  lane.count_sent(packets, bytes);
  lane.counters.tx_errors.set(tx.errors());
  lane.counters.count_poll(packets, lane.burst);
  count_received(lane, packets, bytes);
  return packets;
}

unsigned receive_replies(Lane& lane, std::uint64_t /*now*/) noexcept {
  unsigned replies = 0;
  std::uint64_t bytes = 0;
  std::uint64_t now = 0;
  const auto packets = take_burst(lane, [&](std::uint32_t position, std::uint32_t size) {
    if (now == 0) now = request_time();
    if (!lane.requests->take({bytes_at(lane.rx->at(position).address), size}, now)) return;
    ++replies;
    bytes += size;
  });
  count_received(lane, replies, bytes);
  return packets;
}

unsigned exchange_requests(Lane& lane, std::uint64_t now) noexcept {
  const auto received = receive_replies(lane, now);
  auto& requests = *lane.requests;
  const auto room = requests.window.available(request_time());
  if (room == 0) return received;
  const auto sent = send_at_most(lane, now, room, [&](unsigned count) {
    const auto& ring = *lane.tx;
    requests.write(count, [&ring](unsigned i) {
      return bytes_at(ring.at(ring.head() + i).address) + kHeaderBytes;
    });
  });
  requests.sent(sent);
  return received + sent;
}

namespace {

// Receives late packets after sending has ended. The result includes completions of sent packets,
// because a packet that was just sent may still return.
template <Burst Receive>
unsigned receive_late(Lane& lane, std::uint64_t now) noexcept {
  const auto done = lane.tx->completed();
  lane.tx->reclaim();
  return Receive(lane, now) + (lane.tx->completed() - done);
}

// Each visit of a queue is one burst, so that completions are processed often.
constexpr std::array kModeBursts = {
    ModeBursts{Mode::tx, work<Lane, send, 1>},
    ModeBursts{Mode::rx, work<Lane, receive, 1>},
    ModeBursts{Mode::txrx, work_and_drain<Lane, send_and_receive, receive_late<receive>, 1>},
    ModeBursts{Mode::fwd, work<Lane, forward, 1>},
    ModeBursts{Mode::rtt,
               work_and_drain<Lane, exchange_requests, receive_late<receive_replies>, 1>},
};

}  // namespace

const ModeBursts* find_bursts(Mode mode) {
  for (const auto& bursts : kModeBursts) {
    if (bursts.mode == mode) return &bursts;
  }
  return nullptr;
}

}  // namespace manactl::datapath::verbs
