// SPDX-License-Identifier: MIT
//
// Counts the instructions of a thread in user space, if the CPU and the kernel allow it.

#pragma once

#include <atomic>

#include "datapath/measure/trial.h"

namespace manactl::datapath::dpdk {

class Instructions {
 public:
  Instructions() = default;
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;
  ~Instructions();

  void count_this_thread() noexcept;  // later calls have no effect

  // May be called in any thread; empty if nothing is counted.
  ReportedCount read() const noexcept;

 private:
  std::atomic<int> file_ = -1;
};

}  // namespace manactl::datapath::dpdk
