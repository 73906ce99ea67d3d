// SPDX-License-Identifier: MIT
#include "datapath/verbs/modes.h"

#include <algorithm>
#include <span>

#include "datapath/request.h"

namespace manactl::datapath::verbs {

namespace {

std::uint8_t* bytes_at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr): a buffer
}

// finish(count) has the last word on packets that are about to leave, from the ring's head on.
template <class Finish>
unsigned send_at_most(Lane& lane, std::uint64_t now, unsigned wanted, Finish finish) noexcept {
  auto& ring = *lane.tx;
  const bool limited = lane.pace.limits();
  if (limited) {
    wanted = lane.pace.due(now, wanted);
    if (wanted == 0) return 0;
  }
  ring.reclaim();
  // Whole bursts only: a doorbell for each packet that finds room would cost more than waiting.
  if (ring.room() < wanted) {
    lane.counters.count_poll(0, wanted);
    return 0;
  }
  const auto bytes = lane.outbox.prepare(ring, wanted);
  finish(wanted);
  ring.post(wanted);
  if (limited) lane.pace.took(wanted);
  lane.counters.tx_packets.add(wanted);
  lane.counters.tx_bytes.add(bytes);
  lane.tx_errors.set(ring.errors());
  lane.counters.count_poll(wanted, wanted);
  return wanted;
}

// take(position, size) gets every packet of a burst. Answers how many there were.
template <class Take>
unsigned take_burst(Lane& lane, Take take) noexcept {
  auto& ring = *lane.rx;
  unsigned packets = 0;
  ring.take(lane.burst, [&](std::uint32_t position, std::uint32_t size) noexcept {
    if (size == 0) return;
    ++packets;
    take(position, size);
  });
  // Buffers belong to their slots, so that offering them again is all there is to do.
  if (const auto room = ring.room(); room != 0) ring.post(room);
  lane.counters.count_poll(packets, lane.burst);
  return packets;
}

void count_received(Lane& lane, unsigned packets, std::uint64_t bytes) noexcept {
  lane.rx_errors.set(lane.rx->errors());
  if (packets == 0) return;
  lane.counters.rx_packets.add(packets);
  lane.counters.rx_bytes.add(bytes);
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

// What was sent is free again.
void give_back(Exchange& exchange, const SendRing& ring) noexcept {
  for (; exchange.done != ring.done(); ++exchange.done) {
    exchange.free[exchange.count++] = exchange.sending[exchange.done & (ring.slots() - 1)];
  }
}

// Requests of mode rtt go back to who asked. Nobody else's packets are read but the first of a
// burst, until requests have come.
void answer(Lane& lane, std::span<std::uint8_t> frame, bool is_first) noexcept {
  if (is_first && !lane.answers) lane.answers = request_in(frame).has_value();
  if (lane.answers && request_in(frame)) turn_round(frame);
}

void refill(Exchange& exchange, ReceiveRing& ring) noexcept {
  const auto count = std::min(ring.room(), exchange.count);
  if (count == 0) return;
  for (std::uint32_t i = 0; i < count; ++i) {
    ring.at(ring.head() + i).address = exchange.free[--exchange.count];
  }
  ring.post(count);
}

}  // namespace

unsigned forward(Lane& lane, std::uint64_t /*now*/) noexcept {
  auto& tx = *lane.tx;
  auto& rx = *lane.rx;
  auto& exchange = lane.exchange;
  tx.reclaim();
  give_back(exchange, tx);
  constexpr std::uint32_t kMostOfOne = 8;  // packets of a completion
  const auto blank = tx.blank();
  unsigned packets = 0;
  std::uint64_t bytes = 0;
  rx.take(std::min(lane.burst, tx.room() / kMostOfOne),
          [&](std::uint32_t position, std::uint32_t size) noexcept {
            const auto buffer = rx.at(position).address;
            if (size == 0) {
              exchange.free[exchange.count++] = buffer;
              return;
            }
            answer(lane, {bytes_at(buffer), size}, packets == 0);
            const auto at = tx.head() + packets;
            tx.at(at) = {blank.header, blank.oob, buffer, key_and_size(exchange.key, size)};
            exchange.sending[at & (tx.slots() - 1)] = buffer;
            ++packets;
            bytes += size;
          });
  if (packets != 0) tx.post(packets);
  refill(exchange, rx);
  lane.counters.tx_packets.add(packets);
  lane.counters.tx_bytes.add(bytes);
  lane.tx_errors.set(tx.errors());
  lane.counters.count_poll(packets, lane.burst);
  count_received(lane, packets, bytes);
  return packets;
}

unsigned take_answers(Lane& lane, std::uint64_t /*now*/) noexcept {
  unsigned answers = 0;
  std::uint64_t bytes = 0;
  std::uint64_t now = 0;
  const auto packets = take_burst(lane, [&](std::uint32_t position, std::uint32_t size) {
    if (now == 0) now = request_time();
    if (!lane.requests->take({bytes_at(lane.rx->at(position).address), size}, now)) return;
    ++answers;
    bytes += size;
  });
  count_received(lane, answers, bytes);
  return packets;
}

unsigned ask_and_listen(Lane& lane, std::uint64_t now) noexcept {
  const auto received = take_answers(lane, now);
  auto& requests = *lane.requests;
  const auto room = requests.window.room(request_time());
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

Burst burst_of(Mode mode) {
  switch (mode) {
    case Mode::rx:
      return receive;
    case Mode::txrx:
      return send_and_receive;
    case Mode::fwd:
      return forward;
    case Mode::rtt:
      return ask_and_listen;
    case Mode::tx:
      break;
  }
  return send;
}

Burst drain_of(Mode mode) {
  switch (mode) {
    case Mode::txrx:
      return receive;
    case Mode::rtt:
      return take_answers;
    default:
      return nullptr;
  }
}

}  // namespace manactl::datapath::verbs
