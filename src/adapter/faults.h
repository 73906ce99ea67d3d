// SPDX-License-Identifier: MIT
//
// Faults of the data path that were asked for, counted over all queues of a port.

#pragma once

#include <atomic>
#include <cstdint>

#include "wire/completion.h"

namespace manactl::adapter {

// "Every n-th": 0 is never.
class Every {
 public:
  void set(std::uint64_t n) { n_ = n; }

  bool never() const { return n_ == 0; }

  bool strikes() {
    return n_ != 0 && (seen_.fetch_add(1, std::memory_order_relaxed) + 1) % n_ == 0;
  }

 private:
  std::uint64_t n_ = 0;
  std::atomic<std::uint64_t> seen_{0};
};

// Set before the first queue is made.
struct DataFaults {
  Every tx, truncate, no_buffer, overrun;
  Every lost_doorbell, late_doorbell, double_doorbell;
  std::uint64_t late_ns = 0;
  wire::CqeType tx_type = wire::CqeType::tx_sa_drop;
};

}  // namespace manactl::adapter
