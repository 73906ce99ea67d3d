// SPDX-License-Identifier: MIT
//
// The loop around a mode's burst. Nothing here allocates, locks, throws or logs once it runs.

#pragma once

#include <rte_cycles.h>
#include <rte_pause.h>

#include "datapath/dpdk/modes.h"

namespace manactl::datapath::dpdk {

using Burst = unsigned (*)(Lane&, std::uint64_t) noexcept;

// Packets that the lanes of a worker sent and did not receive; negative with others' traffic.
inline std::int64_t outstanding(const Worker& worker) noexcept {
  std::uint64_t sent = 0, received = 0;
  for (const auto* lane : worker.lanes) {
    sent += lane->counters.tx_packets.get();
    received += lane->counters.rx_packets.get();
  }
  return static_cast<std::int64_t>(sent - received);
}

// Takes in what is still on its way, until all is back or nothing comes for a hundredth of a
// second, and never for longer than three of these.
template <Burst Receive>
void drain(Worker& worker, std::int64_t before) noexcept {
  const auto patience = rte_get_tsc_hz() / 100;
  auto last = rte_rdtsc();
  const auto end = last + 3 * patience;
  for (auto now = last; now < end && now - last < patience; now = rte_rdtsc()) {
    if (outstanding(worker) <= before) return;
    for (auto* lane : worker.lanes) {
      if (lane->in_use() && Receive(*lane, now) != 0) last = now;
    }
  }
}

// Full bursts that one queue may have in a row. A worker looks at its clock and at its orders once
// for all of them: per burst, reading a clock would cost as much as six packets.
inline constexpr unsigned kVisit = 8;

// Answers how many packets moved.
template <Burst Serve>
unsigned visit(Lane& lane, std::uint64_t now, unsigned bursts) noexcept {
  unsigned all = 0, moved = 0;
  do {
    moved = Serve(lane, now);
    all += moved;
  } while (moved >= lane.burst && --bursts != 0);
  return all;
}

// From the start to the end of a trial. Serve(lane, now) serves a queue once, counts, and answers
// how many packets moved. `now` is the time at which the visit began, in ticks of rte_rdtsc().
template <Burst Serve, unsigned Bursts>
void serve(Worker& worker) noexcept {
  const auto& phase = *worker.phase;
  worker.instructions.count_this_thread();
  worker.ready.store(true, std::memory_order_release);
  while (phase.load(std::memory_order_acquire) == Phase::waiting) rte_pause();
  auto before = rte_rdtsc();
  for (auto* lane : worker.lanes) lane->pace.start(before);
  while (phase.load(std::memory_order_relaxed) == Phase::running) {
    for (auto* lane : worker.lanes) {
      if (!lane->in_use()) [[unlikely]]
        continue;
      const auto moved = visit<Serve>(*lane, before, Bursts);
      const auto now = rte_rdtsc();
      if (moved != 0) lane->counters.cycles.add(now - before);
      before = now;
    }
  }
}

template <Burst Serve>
int work(void* argument) noexcept {
  auto& worker = *static_cast<Worker*>(argument);
  serve<Serve, kVisit>(worker);
  worker.done.store(true, std::memory_order_release);
  return 0;
}

// Receive(lane, now) is that part of Serve which goes on when sending is over.
template <Burst Serve, Burst Receive, unsigned Bursts = kVisit>
int work_and_drain(void* argument) noexcept {
  auto& worker = *static_cast<Worker*>(argument);
  const auto on_the_way = outstanding(worker);
  serve<Serve, Bursts>(worker);
  drain<Receive>(worker, on_the_way);
  worker.done.store(true, std::memory_order_release);
  return 0;
}

}  // namespace manactl::datapath::dpdk
