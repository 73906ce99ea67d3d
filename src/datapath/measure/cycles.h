// SPDX-License-Identifier: MIT
//
// The clock of the workers: a counter of the CPU, and its rate.

#pragma once

#include <chrono>
#include <cstdint>

namespace manactl::datapath {

// The time-stamp counter (x86) or the generic timer (Arm). Both have a constant rate.
inline std::uint64_t read_cycles() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return 0;
#endif
}

// Measures the rate of read_cycles() against CLOCK_MONOTONIC, from its construction on.
class CycleRate {
 public:
  CycleRate() : start_(read_both()) {}

  // Sleeps if the construction was less than 20 ms ago.
  double per_second() const;

 private:
  struct Instant {
    std::chrono::steady_clock::time_point time;
    std::uint64_t cycles = 0;
  };

  static Instant read_both();

  Instant start_;
};

}  // namespace manactl::datapath
