// SPDX-License-Identifier: MIT
//
// What a driver gives when it makes a queue, and how the queue is numbered. A work queue and its
// completion queue are made together, as the hardware does.

#pragma once

#include <cstdint>
#include <functional>

namespace manactl::adapter {

inline constexpr std::uint32_t kQueuesPerPort = 64;  // of each direction

struct QueueSetup {
  std::uint8_t* ring = nullptr;  // the driver's memory; both stay until the queue is removed
  std::uint32_t ring_bytes = 0;  // a power of two
  std::uint8_t* cq = nullptr;
  std::uint32_t cq_entries = 0;
  std::function<void()> on_event;  // an armed CQ got an entry; may be empty
};

// Addresses, from `first` to in front of `last`.
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

// 24 bits: 14 of a generation that is never 0, two of the kind, eight of the slot, counted from 1.
// A driver that masks too much or too little of an id is noticed, and ids do not come back soon.
constexpr std::uint32_t queue_id(std::uint32_t generation, QueueKind kind, std::uint32_t slot) {
  return (generation << 10U) | (static_cast<std::uint32_t>(kind) << 8U) | (slot + 1);
}

constexpr QueueKind kind_of(std::uint32_t id) {
  return static_cast<QueueKind>((id >> 8U) & 3U);
}

constexpr std::uint32_t slot_of(std::uint32_t id) {
  return (id & 0xffU) - 1;  // of a wrong id: kQueuesPerPort or more
}

// What a short doorbell has of an id: kind, slot and two bits of the generation.
constexpr std::uint32_t short_id(std::uint32_t id) {
  return id & 0xfffU;
}

}  // namespace manactl::adapter
