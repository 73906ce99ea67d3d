// SPDX-License-Identifier: MIT
//
// The clock of links and delayed doorbells: the monotonic clock, or a virtual one for tests.

#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace manactl::adapter {

// Nanoseconds since the clock was created.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::uint64_t now() const = 0;
};

class SteadyClock final : public Clock {
 public:
  std::uint64_t now() const override {
    using std::chrono::nanoseconds;
    const auto elapsed = std::chrono::steady_clock::now() - start_;
    return static_cast<std::uint64_t>(std::chrono::duration_cast<nanoseconds>(elapsed).count());
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

class VirtualClock final : public Clock {
 public:
  std::uint64_t now() const override { return now_.load(std::memory_order_relaxed); }

  void set(std::uint64_t now) { now_.store(now, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> now_{0};
};

}  // namespace manactl::adapter
