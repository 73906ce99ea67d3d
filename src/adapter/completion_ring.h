// SPDX-License-Identifier: MIT
//
// The device's side of a completion queue. Not for several threads at once: the owner of its work
// queue holds the lock.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstring>

#include "adapter/queue_setup.h"
#include "wire/completion.h"

namespace manactl::adapter {

static_assert(std::endian::native == std::endian::little, "rings are shared with a local driver");

// The info dword of an SQ's completions has this beside the number of the SQ.
inline constexpr std::uint32_t kSendFlag = 1U << 24U;

using CqeData = std::array<std::uint8_t, wire::kCqeDataBytes>;

class CompletionRing {
 public:
  // `entries` has room for `count` CQEs and is zero.
  CompletionRing(std::uint8_t* entries, std::uint32_t count, std::uint32_t id)
      : entries_(entries), count_(count), id_(id), head_(count), read_(count) {}

  std::uint32_t id() const { return id_; }

  Extent extent() const { return Extent::of(entries_, std::size_t{count_} * wire::kCqeBytes); }

  // One entry; the driver sees it whole or not at all. `wq` is the info dword without the owner.
  void push(const CqeData& data, std::uint32_t wq) {
    const auto entry = next(wq);
    std::memcpy(entry.at, data.data(), data.size());
    publish(entry);
  }

  // The same with another dword 2, which says where the WQE was.
  void push_at(const CqeData& data, std::uint32_t wq, std::uint32_t dword2) {
    constexpr std::size_t kAt = 8;
    const auto entry = next(wq);
    std::memcpy(entry.at, data.data(), data.size());
    std::memcpy(entry.at + kAt, &dword2, sizeof dword2);
    publish(entry);
  }

  // As if a whole lap had been written that the driver did not read: it will see owners that are
  // neither new nor old.
  void overrun() {
    head_ += count_;
    turn();
  }

  void prefetch(std::uint32_t ahead) const {
    const auto index = index_ + ahead < count_ ? index_ + ahead : 0;
    __builtin_prefetch(entries_ + std::size_t{index} * wire::kCqeBytes, 1);
  }

  // The head that a driver has reached after a short doorbell, which says how far it went.
  std::uint32_t advance(std::uint32_t entries) {
    read_ += entries;
    return wire::doorbell_tail(read_, count_);
  }

  // The driver has seen everything up to `head` and asks for one event. True: it is due now.
  bool arm(std::uint32_t head) {
    armed_ = head == wire::doorbell_tail(head_, count_);
    fresh_ = false;
    return !armed_;
  }

  // Asked after entries were pushed; true once for each arm.
  bool take_event() {
    const bool due = armed_ && fresh_;
    fresh_ = false;
    if (due) armed_ = false;
    return due;
  }

 private:
  struct Entry {
    std::uint8_t* at = nullptr;
    std::uint32_t info = 0;
  };

  // All of our own is done before the first byte is written, which might be anybody's for all that
  // the compiler knows.
  Entry next(std::uint32_t wq) {
    const Entry entry{entries_ + std::size_t{index_} * wire::kCqeBytes, wq | owner_};
    ++head_;
    // Drivers count in 32 bits, too: the phase breaks for both of us where the count wraps.
    if (++index_ == count_ || head_ == 0) turn();
    fresh_ = true;
    return entry;
  }

  static void publish(const Entry& entry) {
    auto* info = reinterpret_cast<std::uint32_t*>(entry.at + wire::kCqeDataBytes);
    std::atomic_ref<std::uint32_t>(*info).store(entry.info, std::memory_order_release);
  }

  void turn() {
    index_ = head_ % count_;
    owner_ = std::uint32_t{wire::owner_at(head_, count_)} << kOwnerShift;
  }

  static constexpr unsigned kOwnerShift = 29;

  std::uint8_t* entries_;
  std::uint32_t count_, id_;
  std::uint32_t head_;
  std::uint32_t read_;  // by the driver, as its short doorbells tell
  std::uint32_t index_ = 0;
  std::uint32_t owner_ = 1U << kOwnerShift;
  bool armed_ = false, fresh_ = false;
};

}  // namespace manactl::adapter
