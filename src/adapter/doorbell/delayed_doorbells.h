// SPDX-License-Identifier: MIT
//
// Doorbells that the fault doorbell=delayed postpones, each with the time when it is due.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

namespace manactl::adapter {

struct DelayedDoorbell {
  std::uint64_t due = 0;
  std::uint32_t offset = 0;
  std::uint64_t value = 0;
};

// A FIFO is sufficient, because all doorbells of a port have the same delay. Thread-safe.
class DelayedDoorbells {
 public:
  void add(const DelayedDoorbell& doorbell) {
    const std::scoped_lock lock(mutex_);
    doorbells_.push_back(doorbell);
    any_.store(true, std::memory_order_release);
  }

  // Removes and returns the next doorbell if it is due.
  std::optional<DelayedDoorbell> take(std::uint64_t now) {
    const std::scoped_lock lock(mutex_);
    if (doorbells_.empty() || doorbells_.front().due > now) return std::nullopt;
    const auto first = doorbells_.front();
    doorbells_.pop_front();
    any_.store(!doorbells_.empty(), std::memory_order_release);
    return first;
  }

  bool any() const { return any_.load(std::memory_order_acquire); }

  // The time when the next doorbell is due.
  std::optional<std::uint64_t> next() {
    const std::scoped_lock lock(mutex_);
    if (doorbells_.empty()) return std::nullopt;
    return doorbells_.front().due;
  }

 private:
  std::mutex mutex_;
  std::deque<DelayedDoorbell> doorbells_;
  std::atomic<bool> any_{false};
};

}  // namespace manactl::adapter
