// SPDX-License-Identifier: MIT
//
// The lanes and workers that all engines share, and the loop around an engine's burst functions.
// The loop is a template, so that the compiler inlines the burst. Once it runs, it does not
// allocate, lock, throw or log.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "datapath/measure/counters.h"
#include "datapath/measure/cycles.h"
#include "datapath/measure/drain.h"
#include "datapath/traffic/pace.h"
#include "datapath/traffic/requests.h"

namespace manactl::datapath {

// One queue of a port with everything that its worker needs. Engines derive their own lanes.
struct alignas(kOwnLines) BaseLane {
  std::uint16_t burst = 0;
  bool sends_replies = false;  // fwd: requests were received, so inspect every packet
  std::uint32_t out_lane = 0;  // fwd: index of the lane whose queue sends what this one receives
  std::atomic<bool> removed{false};  // the device was removed; set by any thread
  std::atomic<bool> parked{false};   // the worker has seen `removed` and no longer uses the lane
  Pace pace;
  std::unique_ptr<Requests> requests;  // null if the mode does not measure latency
  Counters counters;

  bool in_use() const noexcept { return !removed.load(std::memory_order_acquire); }

  // Lets the worker use the lane again after its device has returned. The lane must be parked.
  void resume() noexcept {
    if (requests) requests->window.forget();  // the device has lost them
    parked.store(false, std::memory_order_relaxed);
    removed.store(false, std::memory_order_release);
  }

  void count_sent(unsigned count, std::uint64_t bytes) noexcept {
    counters.tx_packets.add(count);
    counters.tx_bytes.add(bytes);
  }

  void count_received(unsigned count, std::uint64_t bytes) noexcept {
    counters.rx_packets.add(count);
    counters.rx_bytes.add(bytes);
  }
};

enum class Phase : std::uint8_t { waiting, running, stopping };

// State that the workers of a session share.
struct Team {
  alignas(kOwnLines) std::atomic<Phase> phase = Phase::waiting;
  std::atomic<unsigned> busy = 0;  // workers that may still send
  std::vector<BaseLane*> lanes;    // lanes of all workers
  std::int64_t lost_before = 0;    // packets of earlier trials that never returned
  DrainLimits drain_limits;        // nanoseconds
};

// The queues that one thread serves.
struct Worker {
  unsigned cpu = 0;
  std::vector<BaseLane*> lanes;
  Team* team = nullptr;
  std::atomic<int> error = 0;  // errno if the thread could not be set up
  std::atomic<bool> ready = false;
  std::atomic<bool> done = false;  // set last, with release order, to publish the worker's results
};

// Runs in a worker's thread for one trial.
using Work = void (*)(Worker&) noexcept;

// Serves a queue once, counts its packets and returns their number. `now` is the time at which the
// visit of the queue began, from read_cycles().
template <class Lane>
using BurstFunction = unsigned (*)(Lane&, std::uint64_t now) noexcept;

// Maximum number of full bursts in a row from one queue. Reading the clock per burst would cost as
// much as six packets; a new queue per burst would evict packets from the first-level cache.
inline constexpr unsigned kMaxVisit = 32;

template <class Lane, BurstFunction<Lane> Serve>
unsigned visit(Lane& lane, std::uint64_t now, unsigned bursts) noexcept {
  unsigned total = 0, moved = 0;
  do {
    moved = Serve(lane, now);
    total += moved;
  } while (moved >= lane.burst && --bursts != 0);
  return total;
}

// Visits each lane once and returns the time after the last visit.
template <class Lane, BurstFunction<Lane> Serve, unsigned Bursts>
std::uint64_t visit_all(Worker& worker, std::uint64_t now) noexcept {
  for (auto* base : worker.lanes) {
    auto& lane = static_cast<Lane&>(*base);
    if (!lane.in_use()) [[unlikely]] {
      lane.parked.store(true, std::memory_order_release);
      now = read_cycles();  // so that the next lane is not charged for idle time
      continue;
    }
    const auto before = now;
    const auto moved = visit<Lane, Serve>(lane, before, Bursts);
    now = read_cycles();
    if (moved != 0) lane.counters.cycles.add(now - before);
  }
  return now;
}

// Serves the lanes from the start to the end of a trial.
template <class Lane, BurstFunction<Lane> Serve, unsigned Bursts>
void serve(Worker& worker) noexcept {
  const auto& phase = worker.team->phase;
  worker.team->busy.fetch_add(1, std::memory_order_relaxed);
  worker.ready.store(true, std::memory_order_release);
  while (phase.load(std::memory_order_acquire) == Phase::waiting) std::this_thread::yield();
  auto now = read_cycles();
  for (auto* lane : worker.lanes) lane->pace.start(now);
  while (phase.load(std::memory_order_relaxed) == Phase::running) {
    now = visit_all<Lane, Serve, Bursts>(worker, now);
  }
  worker.team->busy.fetch_sub(1, std::memory_order_release);
}

// The work of a mode that does not wait for its packets to return.
template <class Lane, BurstFunction<Lane> Serve, unsigned Bursts = kMaxVisit>
void work(Worker& worker) noexcept {
  serve<Lane, Serve, Bursts>(worker);
  worker.done.store(true, std::memory_order_release);
}

// The work of a mode whose packets return. `Receive` is the receiving part of `Serve`. It is also
// called after sending has ended, and may ignore the time. A worker with several lanes serves one
// burst of each, because packets may return to another lane: many bursts in a row would overflow
// the receive ring of that lane.
template <class Lane,
          BurstFunction<Lane> Serve,
          BurstFunction<Lane> Receive,
          unsigned Bursts = kMaxVisit>
void work_and_drain(Worker& worker) noexcept {
  const auto& team = *worker.team;
  const auto receive = [](BaseLane& lane, std::uint64_t now) {
    return lane.in_use() ? Receive(static_cast<Lane&>(lane), now) : 0U;
  };
  discard_leftovers(worker.lanes, receive);
  if (worker.lanes.size() > 1) {
    serve<Lane, Serve, 1>(worker);
  } else {
    serve<Lane, Serve, Bursts>(worker);
  }
  drain(DrainScope<BaseLane>{worker.lanes, team.lanes, team.busy, team.lost_before},
        team.drain_limits,
        request_time,
        receive);
  worker.done.store(true, std::memory_order_release);
}

}  // namespace manactl::datapath
