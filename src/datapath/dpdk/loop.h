// SPDX-License-Identifier: MIT
//
// The loop around a mode's burst. Nothing here allocates, locks, throws or logs once it runs.

#pragma once

#include <rte_cycles.h>
#include <rte_pause.h>

#include "datapath/dpdk/modes.h"
#include "datapath/drain.h"

namespace manactl::datapath::dpdk {

using Burst = unsigned (*)(Lane&, std::uint64_t) noexcept;

// Full bursts that one queue may have in a row. A worker looks at its clock and at its orders once
// for all of them: for each burst alone, reading a clock would cost as much as six packets, and the
// packets of many queues would push each other out of the CPU's first cache.
inline constexpr unsigned kVisit = 32;

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

// Serve(lane, now) serves a queue once, counts, and answers how many packets moved. `now` is the
// time at which the visit began, in ticks of rte_rdtsc(). Answers the time at the end.
template <Burst Serve, unsigned Bursts>
std::uint64_t visit_all(Worker& worker, std::uint64_t now) noexcept {
  for (auto* lane : worker.lanes) {
    if (!lane->in_use()) [[unlikely]] {
      lane->parked.store(true, std::memory_order_release);
      now = rte_rdtsc();  // the time of waiting is not that of the next packets
      continue;
    }
    const auto before = now;
    const auto moved = visit<Serve>(*lane, before, Bursts);
    now = rte_rdtsc();
    if (moved != 0) lane->counters.cycles.add(now - before);
  }
  return now;
}

// From the start to the end of a trial.
template <Burst Serve, unsigned Bursts>
void serve(Worker& worker) noexcept {
  const auto& phase = worker.team->phase;
  worker.instructions.count_this_thread();
  worker.team->busy.fetch_add(1, std::memory_order_relaxed);
  worker.ready.store(true, std::memory_order_release);
  while (phase.load(std::memory_order_acquire) == Phase::waiting) rte_pause();
  auto now = rte_rdtsc();
  for (auto* lane : worker.lanes) lane->pace.start(now);
  while (phase.load(std::memory_order_relaxed) == Phase::running) {
    now = visit_all<Serve, Bursts>(worker, now);
  }
  worker.team->busy.fetch_sub(1, std::memory_order_release);
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
  const auto& team = *worker.team;
  const auto take = [](Lane& lane, std::uint64_t now) {
    return lane.in_use() ? Receive(lane, now) : 0U;
  };
  take_leftovers(worker.lanes, take);
  serve<Serve, Bursts>(worker);
  drain(
      Late<Lane>{worker.lanes, team.lanes, team.busy, team.on_the_way},
      Patience{rte_get_tsc_hz() / 100, 3 * rte_get_tsc_hz() / 100},
      [] { return rte_rdtsc(); },
      take);
  worker.done.store(true, std::memory_order_release);
  return 0;
}

}  // namespace manactl::datapath::dpdk
