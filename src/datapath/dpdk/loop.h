// SPDX-License-Identifier: MIT
//
// The loop around a mode's burst. Nothing here allocates, locks, throws or logs once it runs.

#pragma once

#include <rte_cycles.h>
#include <rte_pause.h>

#include "datapath/dpdk/modes.h"

namespace manactl::datapath::dpdk {

// Burst(lane, now) serves a queue once, counts, and answers how many packets moved. `now` is the
// time at which it was called, in ticks of rte_rdtsc(), so that no burst has to read a clock.
template <unsigned (*Burst)(Lane&, std::uint64_t) noexcept>
int work(void* argument) noexcept {
  auto& worker = *static_cast<Worker*>(argument);
  const auto& phase = *worker.phase;
  worker.instructions.count_this_thread();
  worker.ready.store(true, std::memory_order_release);
  while (phase.load(std::memory_order_acquire) == Phase::waiting) rte_pause();
  auto before = rte_rdtsc();
  for (auto* lane : worker.lanes) lane->pace.start(before);
  while (phase.load(std::memory_order_relaxed) == Phase::running) {
    for (auto* lane : worker.lanes) {
      const auto moved = Burst(*lane, before);
      const auto now = rte_rdtsc();
      if (moved != 0) lane->counters.cycles.add(now - before);
      before = now;
    }
  }
  worker.done.store(true, std::memory_order_release);
  return 0;
}

}  // namespace manactl::datapath::dpdk
