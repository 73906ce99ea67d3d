// SPDX-License-Identifier: MIT
//
// Event, completion and work queues: their ids, their rings, and the rules of arming.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "azure/model/ring.h"
#include "azure/model/trace.h"
#include "wire/completion.h"
#include "wire/doorbell.h"
#include "wire/event.h"

namespace manactl::azure {

// A producer starts at `entries`, with owner bits 1; a queue starts armed.
struct EventQueue {
  Ring ring;
  std::uint32_t vector = 0;
  std::uint32_t head = 0;
  bool armed = true;
  bool waiting = false;  // the interrupt could not be raised yet

  std::uint32_t entries() const { return ring.bytes() / wire::kEqeBytes; }
};

struct CompletionQueue {
  Ring ring;
  std::uint32_t eq_id = 0;
  std::uint32_t head = 0;
  bool armed = true;
  bool news = false;  // completed since the last event

  std::uint32_t entries() const { return ring.bytes() / wire::kCqeBytes; }
};

// Positions count bytes for ever.
struct WorkQueue {
  Ring ring;
  bool is_sq = false;
  std::uint32_t cq_id = 0;
  std::uint32_t next = 0;  // the first WQE not taken yet
  std::uint32_t tail = 0;  // behind the last one posted
  bool broken = false;     // a WQE could not be understood: nothing behind it can be
};

// Objects by number; a new one gets the lowest free number.
template <class T>
class Table {
 public:
  Table(std::uint32_t first, std::uint32_t limit) : first_(first), limit_(limit) {}

  std::optional<std::uint32_t> add(T value) {
    std::uint32_t id = first_;
    for (const auto& entry : entries_) {
      if (entry.first != id) break;
      ++id;
    }
    if (id >= limit_) return std::nullopt;
    entries_.emplace(id, std::move(value));
    return id;
  }

  T* find(std::uint32_t id) {
    const auto it = entries_.find(id);
    return it == entries_.end() ? nullptr : &it->second;
  }

  bool remove(std::uint32_t id) { return entries_.erase(id) > 0; }

  void clear() { entries_.clear(); }

  std::size_t size() const { return entries_.size(); }

  auto begin() { return entries_.begin(); }

  auto end() { return entries_.end(); }

 private:
  std::uint32_t first_, limit_;
  std::map<std::uint32_t, T> entries_;
};

class Queues {
 public:
  // More than the driver is told, except for CQs: it has a table of exactly so many.
  static constexpr std::uint32_t kMaxEqs = 64, kMaxCqs = 128, kMaxWqs = 256;

  Queues(Guest& guest, Trace& trace) : guest_(&guest), trace_(&trace) {}

  // Regions have been checked with Ring::fits. No value: too many queues.
  std::optional<std::uint32_t> add_eq(const Region& region,
                                      std::uint32_t bytes,
                                      std::uint32_t vector);
  std::optional<std::uint32_t> add_cq(const Region& region,
                                      std::uint32_t bytes,
                                      std::uint32_t eq_id);
  std::optional<std::uint32_t> add_wq(const Region& region,
                                      std::uint32_t bytes,
                                      bool is_sq,
                                      std::uint32_t cq_id);

  Table<EventQueue>& eqs() { return eqs_; }

  Table<CompletionQueue>& cqs() { return cqs_; }

  Table<WorkQueue>& wqs() { return wqs_; }

  void reset();

  // Puts an event into its queue and raises the interrupt if the queue is armed.
  void event(std::uint32_t eq_id,
             wire::EventType type,
             std::span<const std::uint8_t, wire::kEqeDataBytes> data);

  // Puts an entry into a CQ, without an event: notify() sends one for all that came since.
  void complete(std::uint32_t cq_id,
                std::span<const std::uint8_t, wire::kCqeDataBytes> data,
                std::uint32_t wq_id,
                bool is_sq);
  void notify(std::uint32_t cq_id);

  void ring(const wire::EqDoorbell& doorbell);
  void ring(const wire::CqDoorbell& doorbell);

  // Interrupts that were masked when they were due. True when some are still waiting.
  bool retry_interrupts();

 private:
  void interrupt(EventQueue& eq);

  Guest* guest_;
  Trace* trace_;
  Table<EventQueue> eqs_{1, kMaxEqs};
  Table<CompletionQueue> cqs_{1, kMaxCqs};
  Table<WorkQueue> wqs_{1, kMaxWqs};
};

}  // namespace manactl::azure
