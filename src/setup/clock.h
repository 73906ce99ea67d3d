// SPDX-License-Identifier: MIT
//
// The clock by which setup waits for the kernel. Tests and dry runs use clocks that do not sleep.

#pragma once

#include <chrono>
#include <memory>

namespace manactl::setup {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::milliseconds now() const = 0;  // time since boot, including suspend
  virtual void pause(std::chrono::milliseconds time) = 0;
};

// Returns a clock that uses CLOCK_BOOTTIME and nanosleep(2).
std::unique_ptr<Clock> make_boot_clock();

// Returns a clock that starts at 0 and advances only in pause(), which returns at once.
std::unique_ptr<Clock> make_counting_clock();

// Polls `condition` every 10 ms. Returns false if it is still false after `limit`.
template <class F>
bool wait_until(Clock& clock, std::chrono::milliseconds limit, F condition) {
  constexpr std::chrono::milliseconds kInterval{10};
  const auto end = clock.now() + limit;
  while (!condition()) {
    if (clock.now() >= end) return false;
    clock.pause(kInterval);
  }
  return true;
}

}  // namespace manactl::setup
