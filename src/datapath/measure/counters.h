// SPDX-License-Identifier: MIT
//
// The counters of one queue. Only its worker writes them; any thread may read them.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "datapath/measure/trial.h"
#include "datapath/traffic/frame.h"

namespace manactl::datapath {

// Alignment of data with one writer: two cache lines, because processors prefetch pairs.
inline constexpr std::size_t kOwnLines = 128;

class Counter {
 public:
  // With one writer the addition need not be atomic.
  void add(std::uint64_t value) noexcept { set(get() + value); }

  void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// Bytes exclude the FCS, which devices do not pass on.
struct alignas(kOwnLines) Counters {
  Counter tx_packets, tx_bytes, tx_missed, tx_errors;
  Counter rx_packets, rx_bytes, rx_errors;
  Counter cycles, empty_polls, part_bursts, full_bursts;
  Counter pool_empty;  // bursts for which the pool had too few packets

  // Counts one call into the driver, in exactly one counter, so that it costs a single addition.
  void count_poll(unsigned moved, unsigned wanted) noexcept {
    auto& kind = moved == 0 ? empty_polls : moved < wanted ? part_bursts : full_bursts;
    kind.add(1);
  }

  std::uint64_t polls() const noexcept {
    return empty_polls.get() + part_bursts.get() + full_bursts.get();
  }

  // Running totals. Bytes include the FCS; seconds stay 0. Instructions and counts that only a
  // device has are empty.
  Sample read() const {
    Sample sample;
    sample.tx = {tx_packets.get(), 0, tx_missed.get(), std::nullopt, tx_errors.get()};
    sample.rx = {rx_packets.get(), 0, std::nullopt, std::nullopt, rx_errors.get()};
    sample.tx.bytes = tx_bytes.get() + sample.tx.packets * kFcsBytes;
    sample.rx.bytes = rx_bytes.get() + sample.rx.packets * kFcsBytes;
    sample.effort = {cycles.get(), std::nullopt, polls(), empty_polls.get(), full_bursts.get()};
    return sample;
  }
};

}  // namespace manactl::datapath
