// SPDX-License-Identifier: MIT
//
// How a queue is created: what the driver supplies, what all queues of a port share, and the IDs. A
// work queue and its completion queue are created together.

#pragma once

#include <cstdint>
#include <functional>

#include "adapter/check/checker.h"
#include "adapter/fault_plan.h"
#include "adapter/link/clock.h"
#include "adapter/queues/memory_table.h"

namespace manactl::adapter {

inline constexpr std::uint32_t kQueuesPerPort = 64;  // per direction

struct QueueSetup {
  std::uint8_t* ring = nullptr;  // driver memory, like `cq`; valid until the queue is removed
  std::uint32_t ring_bytes = 0;  // a power of two, at least 4096
  std::uint8_t* cq = nullptr;
  std::uint32_t cq_entries = 0;
  std::function<void()> on_event;  // called when an armed CQ gets an entry; may be empty
  std::uint32_t wqes = 0;          // the number that the driver requested; 0: as many as fit
};

// The context that all queues of a port share.
struct PortContext {
  const MemoryTable& memory;
  Checker& checker;
  PortCounters& counters;
  DataFaults& faults;
  std::uint32_t vport_offset = 0;
  std::uint32_t max_frame = 0;  // bytes, without VLAN tag and FCS
  std::uint32_t coalesce = 1;   // packets per receive completion: 1, 4 or 8
  const Clock& clock;
};

// A range of addresses; `last` is the address after its last byte.
struct Extent {
  std::uintptr_t first = 0, last = 0;

  static Extent of(const void* at, std::size_t bytes) {
    const auto first = reinterpret_cast<std::uintptr_t>(at);
    return {first, first + bytes};
  }

  bool overlaps(const Extent& other) const { return first < other.last && other.first < last; }
};

struct QueueIds {
  std::uint32_t wq = 0, cq = 0;
};

enum class QueueKind : std::uint8_t { sq = 0, sq_cq = 1, rq = 2, rq_cq = 3 };

// IDs have 24 bits: the generation (14 bits, never 0), the kind (2 bits) and slot + 1 (8 bits).
// Each new queue has the next generation, so that the ID of a removed queue is not reused soon.
constexpr std::uint32_t queue_id(std::uint32_t generation, QueueKind kind, std::uint32_t slot) {
  return (generation << 10U) | (static_cast<std::uint32_t>(kind) << 8U) | (slot + 1);
}

constexpr QueueKind kind_of(std::uint32_t id) {
  return static_cast<QueueKind>((id >> 8U) & 3U);
}

constexpr std::uint32_t slot_of(std::uint32_t id) {
  return (id & 0xffU) - 1;  // kQueuesPerPort or more for invalid IDs
}

// The part of an ID that a short doorbell contains: kind, slot and 2 bits of the generation.
constexpr std::uint32_t short_id(std::uint32_t id) {
  return id & 0xfffU;
}

}  // namespace manactl::adapter
