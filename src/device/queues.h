// SPDX-License-Identifier: MIT
//
// Event, completion and work queues: IDs, rings, and the rules of arming.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include "device/hostile.h"
#include "device/ring.h"
#include "device/trace.h"
#include "wire/completion.h"
#include "wire/doorbell.h"
#include "wire/event.h"

namespace manactl::device {

// `head` starts at entries(), so that the first owner bits are 1. Queues start armed.
struct EventQueue {
  Ring ring;
  std::uint32_t vector = 0;
  std::uint32_t head = 0;
  bool armed = true;
  bool waiting = false;  // the interrupt is masked and will be retried

  std::uint32_t entries() const { return ring.bytes() / wire::kEqeBytes; }
};

struct CompletionQueue {
  Ring ring;
  std::uint32_t eq_id = 0;
  std::uint32_t head = 0;
  bool armed = true;
  bool has_new = false;  // has completions since the last event

  std::uint32_t entries() const { return ring.bytes() / wire::kCqeBytes; }
};

// Positions count bytes since creation, modulo 2^32.
struct WorkQueue {
  Ring ring;
  bool is_sq = false;
  std::uint32_t cq_id = 0;
  std::uint32_t next = 0;  // the start of the first WQE that was not taken yet
  std::uint32_t tail = 0;  // the end of the last posted WQE
  bool broken = false;     // after a malformed WQE, the start of the next one is unknown
};

// Numbered objects; a new one gets the lowest free number.
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

  bool is_full() const { return entries_.size() >= limit_ - first_; }

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
  // IDs are less than these limits. The limits sent to the driver are lower, except kMaxCqs, the
  // size of the driver's CQ table.
  static constexpr std::uint32_t kMaxEqs = 64, kMaxCqs = 4096, kMaxWqs = 4096;

  Queues(Guest& guest, Trace& trace, Hostile& hostile)
      : guest_(&guest), trace_(&trace), hostile_(&hostile) {}

  // The caller has checked the region with Ring::fits(). No value if the table is full;
  // the region is then lost.
  std::optional<std::uint32_t> add_eq(Region region, std::uint32_t bytes, std::uint32_t vector);
  std::optional<std::uint32_t> add_cq(Region region, std::uint32_t bytes, std::uint32_t eq_id);
  std::optional<std::uint32_t> add_wq(Region region,
                                      std::uint32_t bytes,
                                      bool is_sq,
                                      std::uint32_t cq_id);

  Table<EventQueue>& eqs() { return eqs_; }

  Table<CompletionQueue>& cqs() { return cqs_; }

  Table<WorkQueue>& wqs() { return wqs_; }

  Hostile& hostile() { return *hostile_; }

  void reset();

  // Writes an event and raises the interrupt if the queue is armed.
  void send_event(std::uint32_t eq_id,
                  wire::EventType type,
                  std::span<const std::uint8_t, wire::kEqeDataBytes> data);

  // Writes an entry to a CQ. notify() then sends one event for all new entries.
  void complete(std::uint32_t cq_id,
                std::span<const std::uint8_t, wire::kCqeDataBytes> data,
                std::uint32_t wq_id,
                bool is_sq);
  void notify(std::uint32_t cq_id);

  void ring(const wire::EqDoorbell& doorbell);
  void ring(const wire::CqDoorbell& doorbell);

  // Retries masked interrupts. True if some are still masked.
  bool retry_interrupts();

 private:
  void interrupt(EventQueue& eq);

  // Write an entry, with the misbehavior `wrong` if there is one. False if the queue is not in
  // RAM.
  bool write(EventQueue& eq,
             wire::EqeInfo info,
             std::span<const std::uint8_t, wire::kEqeDataBytes> data,
             const std::optional<Misbehavior>& wrong);
  bool write(CompletionQueue& cq,
             wire::CqeInfo info,
             std::span<const std::uint8_t, wire::kCqeDataBytes> data,
             const std::optional<Misbehavior>& wrong);

  // Writes the entry again that was written `back` entries ago.
  void repeat(CompletionQueue& cq, std::uint32_t back);
  void send_hostile_completion_event(std::uint32_t eq_id);

  Guest* guest_;
  Trace* trace_;
  Hostile* hostile_;
  Table<EventQueue> eqs_{1, kMaxEqs};
  Table<CompletionQueue> cqs_{1, kMaxCqs};
  Table<WorkQueue> wqs_{1, kMaxWqs};
};

}  // namespace manactl::device
