// SPDX-License-Identifier: MIT
//
// The end of a trial in a mode that sees both sides: what is still on its way comes in, so that
// nothing seems lost that was only late. Nothing here allocates, locks, throws or logs.

#pragma once

#include <cstdint>
#include <vector>

namespace manactl::datapath {

// Packets that the lanes of a worker sent and did not receive; negative with others' traffic.
template <class Lane>
std::int64_t outstanding(const std::vector<Lane*>& lanes) noexcept {
  std::uint64_t sent = 0, received = 0;
  for (const auto* lane : lanes) {
    sent += lane->counters.tx_packets.get();
    received += lane->counters.rx_packets.get();
  }
  return static_cast<std::int64_t>(sent - received);
}

// Until no more than `before` packets are out, or nothing comes for `patience`, and for no longer
// than three of these. A worker that was kept from running meanwhile has some turns all the same.
// receive(lane, now) answers how many came; `clock` tells the time.
template <class Lane, class Clock, class Receive>
void drain(const std::vector<Lane*>& lanes,
           std::int64_t before,
           std::uint64_t patience,
           Clock clock,
           Receive receive) noexcept {
  constexpr unsigned kTurns = 64;
  const auto start = clock();
  auto last = start;
  for (unsigned turns = 1; outstanding(lanes) > before; ++turns) {
    const auto now = clock();
    unsigned came = 0;
    for (auto* lane : lanes) came += receive(*lane, now);
    if (came != 0) last = now;
    if (came == 0 && now - last >= patience) return;
    if (now - start >= 3 * patience && turns >= kTurns) return;
  }
}

}  // namespace manactl::datapath
