// SPDX-License-Identifier: MIT
//
// The frequency of the clock that workers read, held against CLOCK_MONOTONIC since this was made:
// DPDK's own answer is rounded to 10 MHz.

#pragma once

#include <rte_cycles.h>

#include <chrono>

namespace manactl::datapath::dpdk {

class Ticks {
 public:
  // A measurement over less than a tenth of a second would be worse than DPDK's.
  double per_second() const {
    constexpr double kEnough = 0.1;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start_;
    if (seconds.count() < kEnough) return static_cast<double>(rte_get_tsc_hz());
    return static_cast<double>(rte_rdtsc() - ticks_) / seconds.count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::uint64_t ticks_ = rte_rdtsc();
};

}  // namespace manactl::datapath::dpdk
