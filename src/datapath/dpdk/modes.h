// SPDX-License-Identifier: MIT
//
// What a worker does, one row per mode. Nothing here allocates, locks, throws or logs.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

#include "datapath/counters.h"

struct rte_mbuf;
struct rte_mempool;

namespace manactl::datapath::dpdk {

inline constexpr unsigned kMaxBurst = 256;

// One queue, and all that its worker needs.
struct alignas(kOwnLines) Lane {
  std::uint16_t port = 0, queue = 0, burst = 0;
  std::uint16_t frame_bytes = 0;  // of what it sends, without FCS
  rte_mempool* pool = nullptr;
  std::array<rte_mbuf*, kMaxBurst> packets{};
  Counters counters;
};

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
