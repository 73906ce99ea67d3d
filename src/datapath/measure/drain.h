// SPDX-License-Identifier: MIT
//
// The end of a trial in a mode that sends and receives: workers go on receiving, so that late
// packets do not count as lost. Packets that arrive even later are discarded before the next trial.
// Nothing here allocates, locks, throws or logs.

#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace manactl::datapath {

// The number of packets that the lanes sent and did not receive; negative if they received other
// traffic. A packet may return to a lane other than its sender's.
template <class Lane>
std::int64_t outstanding(const std::vector<Lane*>& lanes) noexcept {
  std::uint64_t sent = 0, received = 0;
  for (const auto* lane : lanes) {
    sent += lane->counters.tx_packets.get();
    received += lane->counters.rx_packets.get();
  }
  return static_cast<std::int64_t>(sent - received);
}

template <class Lane>
struct DrainScope {
  const std::vector<Lane*>& mine;     // lanes of the calling worker
  const std::vector<Lane*>& all;      // lanes of every worker
  const std::atomic<unsigned>& busy;  // workers that may still send
  std::int64_t lost_before = 0;       // packets that were lost before the trial began
};

// Both times are in units of drain()'s clock.
struct DrainLimits {
  std::uint64_t idle = 0;   // time without any packet
  std::uint64_t total = 0;  // time after the last worker stopped sending
};

// Limits for the software adapter, in nanoseconds. It needs CPU time to return packets, and may not
// get it on a busy machine.
constexpr DrainLimits kSoftwareDrainLimits = {250'000'000, 1'000'000'000};

// Limits for other devices, in nanoseconds. A peer, or a device that another program models, may be
// preempted for several time slices of the kernel. Only a trial that lost packets waits so long.
constexpr DrainLimits kDrainLimits = {50'000'000, 150'000'000};

// Receives until all packets have returned or a limit is reached. Each limit applies after 64 polls
// at the earliest, because workers may be preempted: `idle` after as many without a packet.
// receive(lane, now) returns the number of packets.
template <class Lane, class Clock, class Receive>
void drain(const DrainScope<Lane>& scope,
           const DrainLimits& limits,
           Clock clock,
           Receive receive) noexcept {
  constexpr unsigned kMinTurns = 64;
  unsigned idle_turns = 0;
  while (scope.busy.load(std::memory_order_acquire) != 0) {
    for (auto* lane : scope.mine) receive(*lane, clock());
  }
  const auto start = clock();
  auto last = start;
  for (unsigned turns = 1; outstanding(scope.all) > scope.lost_before; ++turns) {
    const auto now = clock();
    unsigned received = 0;
    for (auto* lane : scope.mine) received += receive(*lane, now);
    if (received != 0) last = now;
    idle_turns = received == 0 ? idle_turns + 1 : 0;
    if (now - last >= limits.idle && idle_turns >= kMinTurns) return;
    if (now - start >= limits.total && turns >= kMinTurns) return;
  }
}

// Receives late packets of the previous trial. receive(lane, now) returns their number and also
// counts them, so this function must be called before the counters of the next trial are read.
template <class Lane, class Receive>
void discard_leftovers(const std::vector<Lane*>& lanes, Receive receive) noexcept {
  constexpr unsigned kMax = 16384;  // more than a queue holds; other hosts may never stop sending
  for (auto* lane : lanes) {
    unsigned total = 0, received = 0;
    do {
      received = receive(*lane, 0);
      total += received;
    } while (received != 0 && total < kMax);
  }
}

}  // namespace manactl::datapath
