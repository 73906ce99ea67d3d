// SPDX-License-Identifier: MIT
//
// Time, as far as a step waits for the kernel. Tests hand in one that only counts.

#pragma once

#include <chrono>
#include <memory>

namespace manactl::setup {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual std::chrono::milliseconds now() const = 0;  // since boot, suspension included
  virtual void pause(std::chrono::milliseconds time) = 0;
};

std::unique_ptr<Clock> open_clock();

// Asks `settled` again and again until it answers true; false when the time is over.
template <class F>
bool wait_until(Clock& clock, std::chrono::milliseconds limit, F settled) {
  constexpr std::chrono::milliseconds kBreath{10};
  const auto end = clock.now() + limit;
  while (!settled()) {
    if (clock.now() >= end) return false;
    clock.pause(kBreath);
  }
  return true;
}

}  // namespace manactl::setup
