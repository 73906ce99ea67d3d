// SPDX-License-Identifier: MIT
//
// Doorbells that a planned fault holds back until their time.

#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>

namespace manactl::adapter {

struct LateDoorbell {
  std::uint64_t due = 0;
  std::uint32_t offset = 0;
  std::uint64_t value = 0;
};

// All are held back equally long, so that they leave in the order they came.
class LateDoorbells {
 public:
  void add(const LateDoorbell& doorbell) {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(doorbell);
    any_.store(true, std::memory_order_release);
  }

  // The next one whose time has come.
  std::optional<LateDoorbell> take(std::uint64_t now) {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty() || waiting_.front().due > now) return std::nullopt;
    const auto first = waiting_.front();
    waiting_.pop_front();
    any_.store(!waiting_.empty(), std::memory_order_release);
    return first;
  }

  bool any() const { return any_.load(std::memory_order_acquire); }

  std::optional<std::uint64_t> next() {
    const std::scoped_lock lock(mutex_);
    if (waiting_.empty()) return std::nullopt;
    return waiting_.front().due;
  }

 private:
  std::mutex mutex_;
  std::deque<LateDoorbell> waiting_;
  std::atomic<bool> any_{false};
};

}  // namespace manactl::adapter
