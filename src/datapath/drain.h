// SPDX-License-Identifier: MIT
//
// The end of a trial in a mode that sees both sides: what is still on its way comes in, so that
// nothing seems lost that was only late. What was later than that is taken before the next trial.
// Nothing here allocates, locks, throws or logs.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace manactl::datapath {

// Packets that these lanes sent and did not receive; negative with others' traffic. One lane's
// packets may come back to any other.
template <class Lane>
std::int64_t outstanding(const std::vector<Lane*>& lanes) noexcept {
  std::uint64_t sent = 0, received = 0;
  for (const auto* lane : lanes) {
    sent += lane->counters.tx_packets.get();
    received += lane->counters.rx_packets.get();
  }
  return static_cast<std::int64_t>(sent - received);
}

// What one worker waits for.
template <class Lane>
struct Late {
  const std::vector<Lane*>& mine;     // of this worker
  const std::vector<Lane*>& all;      // of every worker
  const std::atomic<unsigned>& busy;  // workers that have not yet heard of the stop
  std::int64_t before = 0;            // packets that were out when the trial began
};

struct Patience {
  std::uint64_t idle = 0, longest = 0;
};

// Until nobody sends and no more than `before` packets are out, or nothing came for too long. A
// worker that was kept from running meanwhile has some turns all the same. receive(lane, now)
// answers how many came; `clock` tells the time.
template <class Lane, class Clock, class Receive>
void drain(const Late<Lane>& late,
           const Patience& patience,
           Clock clock,
           Receive receive) noexcept {
  constexpr unsigned kTurns = 64;
  while (late.busy.load(std::memory_order_acquire) != 0) {
    for (auto* lane : late.mine) receive(*lane, clock());
  }
  const auto start = clock();
  auto last = start;
  for (unsigned turns = 1; outstanding(late.all) > late.before; ++turns) {
    const auto now = clock();
    unsigned came = 0;
    for (auto* lane : late.mine) came += receive(*lane, now);
    if (came != 0) last = now;
    if (came == 0 && now - last >= patience.idle) return;
    if (now - start >= patience.longest && turns >= kTurns) return;
  }
}

// What came too late for the trial before is not of the one that is about to begin: to be called
// before its counters are read. receive(lane, now) counts, and answers how many came.
template <class Lane, class Receive>
void take_leftovers(const std::vector<Lane*>& mine, Receive receive) noexcept {
  constexpr unsigned kDeepest = 16384;  // more than a queue holds; others may send all the time
  for (auto* lane : mine) {
    unsigned taken = 0, came = 0;
    do {
      came = receive(*lane, 0);
      taken += came;
    } while (came != 0 && taken < kDeepest);
  }
}

}  // namespace manactl::datapath
