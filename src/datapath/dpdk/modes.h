// SPDX-License-Identifier: MIT
//
// What a worker does, one row per mode. Nothing here allocates, locks, throws or logs.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "datapath/bench.h"

struct rte_mbuf;
struct rte_mempool;

namespace manactl::datapath::dpdk {

inline constexpr unsigned kMaxBurst = 256;

// Two lines, because processors fetch neighbours in pairs.
inline constexpr std::size_t kOwnLines = 128;

// Written by the one worker that serves the queue, read by the main thread at any time.
struct alignas(kOwnLines) Counters {
  std::atomic<std::uint64_t> packets{0};
  std::atomic<std::uint64_t> bytes{0};   // received, without FCS; a sender's are known
  std::atomic<std::uint64_t> missed{0};  // not taken by the device
  std::atomic<std::uint64_t> dry{0};     // bursts for which the pool had no packets
  std::atomic<std::uint64_t> busy{0};    // cycles of the bursts that moved something

  // With one writer an addition needs no lock prefix.
  static void add(std::atomic<std::uint64_t>& counter, std::uint64_t value) noexcept {
    counter.store(counter.load(std::memory_order_relaxed) + value, std::memory_order_relaxed);
  }
};

// One queue, and all that its worker needs.
struct alignas(kOwnLines) Lane {
  std::uint16_t port = 0, queue = 0, burst = 0;
  rte_mempool* pool = nullptr;
  std::array<rte_mbuf*, kMaxBurst> packets{};
  Counters counters;
};

enum class Phase { waiting, running, stopping };

// The queues of one thread.
struct Worker {
  std::vector<Lane*> lanes;
  const std::atomic<Phase>* phase = nullptr;
  // All that the worker wrote is seen by whoever sees this; EAL's own hand-shake promises less.
  std::atomic<bool> done = false;
};

// An rte_lcore function: serves the lanes of its Worker in turn until the phase is stopping.
using Work = int (*)(void* worker);

Work work_of(Mode mode);

}  // namespace manactl::datapath::dpdk
