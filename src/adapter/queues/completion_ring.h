// SPDX-License-Identifier: MIT
//
// The device's side of a completion queue. Callers hold the lock of the work queue.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "adapter/queues/queue_setup.h"
#include "wire/completion.h"

namespace manactl::adapter {

static_assert(std::endian::native == std::endian::little, "rings are shared with a local driver");

// CqeInfo::is_sq in the info dword of a CQE.
inline constexpr std::uint32_t kSendFlag = 1U << 24U;

using CqeData = std::array<std::uint8_t, wire::kCqeDataBytes>;

class CompletionRing {
 public:
  // `entries` is zeroed memory for `count` CQEs.
  CompletionRing(std::uint8_t* entries, std::uint32_t count, std::uint32_t id)
      : entries_(entries), count_(count), id_(id), head_(count), read_(count) {}

  std::uint32_t id() const { return id_; }

  Extent extent() const { return Extent::of(entries_, std::size_t{count_} * wire::kCqeBytes); }

  // Writes one entry; the driver sees all of it or nothing. `wq` is the ID of the work queue.
  void push(const CqeData& data, std::uint32_t wq) {
    const auto entry = next(wq);
    std::memcpy(entry.at, data.data(), data.size());
    publish(entry);
  }

  // Like push(), but dword 2 of the entry is `dword2`, the offset of the WQE in bytes.
  void push_at(const CqeData& data, std::uint32_t wq, std::uint32_t dword2) {
    constexpr std::size_t kAt = 8;
    const auto entry = next(wq);
    std::memcpy(entry.at, data.data(), data.size());
    std::memcpy(entry.at + kAt, &dword2, sizeof dword2);
    publish(entry);
  }

  // Simulates an overrun: advances by a lap of entries that the driver never reads. The driver then
  // finds owner bits of neither the current nor the previous lap.
  void overrun() {
    head_ += count_;
    update_phase();
  }

  void prefetch(std::uint32_t ahead) const {
    const auto index = index_ + ahead < count_ ? index_ + ahead : 0;
    __builtin_prefetch(entries_ + std::size_t{index} * wire::kCqeBytes, 1);
  }

  // Handles a short doorbell: the driver has read `entries` more entries. Returns its new read
  // position, to be passed to arm().
  std::uint32_t advance(std::uint32_t entries) {
    read_ += entries;
    return wire::doorbell_tail(read_, count_);
  }

  // The driver has read everything before `head` and requests one event. True if the event is due
  // at once.
  bool arm(std::uint32_t head) {
    armed_ = head == wire::doorbell_tail(head_, count_);
    has_new_ = false;
    return !armed_;
  }

  // To be called after push(). True if an event is due, which happens at most once per arm().
  bool take_event() {
    const bool due = armed_ && has_new_;
    has_new_ = false;
    if (due) armed_ = false;
    return due;
  }

 private:
  struct Entry {
    std::uint8_t* at = nullptr;
    std::uint32_t info = 0;
  };

  // Updates all members before the caller writes the entry: its bytes may alias the members, so the
  // compiler would have to reload them afterwards.
  Entry next(std::uint32_t wq) {
    const Entry entry{entries_ + std::size_t{index_} * wire::kCqeBytes, wq | owner_};
    ++head_;
    // Drivers compute index and owner bits from a 32-bit head (struct gdma_queue, Linux
    // include/net/mana/gdma.h). Both jump when the head wraps, so they must jump here as well.
    if (++index_ == count_ || head_ == 0) update_phase();
    has_new_ = true;
    return entry;
  }

  static void publish(const Entry& entry) {
    auto* info = reinterpret_cast<std::uint32_t*>(entry.at + wire::kCqeDataBytes);
    std::atomic_ref<std::uint32_t>(*info).store(entry.info, std::memory_order_release);
  }

  void update_phase() {
    index_ = head_ % count_;
    owner_ = std::uint32_t{wire::owner_at(head_, count_)} << kOwnerShift;
  }

  static constexpr unsigned kOwnerShift = 29;

  std::uint8_t* entries_;
  std::uint32_t count_, id_;
  std::uint32_t head_;
  std::uint32_t read_;  // entries read by the driver, according to short doorbells
  std::uint32_t index_ = 0;
  std::uint32_t owner_ = 1U << kOwnerShift;
  bool armed_ = false, has_new_ = false;
};

}  // namespace manactl::adapter
