// SPDX-License-Identifier: MIT
//
// What a worker counts for one queue: written by it alone, read by the main thread at any time.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "datapath/trial.h"

namespace manactl::datapath {

// Two lines, because processors fetch neighbours in pairs.
inline constexpr std::size_t kOwnLines = 128;

class Counter {
 public:
  // With one writer an addition needs no lock prefix.
  void add(std::uint64_t value) noexcept { set(get() + value); }

  void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Bytes without FCS: the devices do not show it.
struct alignas(kOwnLines) Counters {
  Counter tx_packets, tx_bytes, tx_missed;
  Counter rx_packets, rx_bytes;
  Counter cycles, instructions, empty_polls, part_bursts, full_bursts;
  Counter dry;  // bursts for which the pool had no packets

  // One call of the device. Its kinds are counted apart, so that a full burst costs one addition.
  void count_poll(unsigned moved, unsigned wanted) noexcept {
    auto& kind = moved == 0 ? empty_polls : moved < wanted ? part_bursts : full_bursts;
    kind.add(1);
  }

  std::uint64_t polls() const noexcept {
    return empty_polls.get() + part_bursts.get() + full_bursts.get();
  }

  // Running totals with FCS; missing are seconds and what only the device knows.
  Sample read() const;
};

enum class Phase { waiting, running, stopping };

}  // namespace manactl::datapath
