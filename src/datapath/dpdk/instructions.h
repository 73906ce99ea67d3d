// SPDX-License-Identifier: MIT
//
// Instructions that a thread executes in user space, counted by the CPU where it can and may.

#pragma once

#include <atomic>
#include <cstdint>

namespace manactl::datapath::dpdk {

class Instructions {
 public:
  Instructions() = default;
  Instructions(const Instructions&) = delete;
  Instructions& operator=(const Instructions&) = delete;
  ~Instructions();

  void count_this_thread() noexcept;  // from now on; later calls change nothing

  // In any thread; 0 where nothing is counted.
  std::uint64_t read() const noexcept;

 private:
  std::atomic<int> file_ = -1;
};

}  // namespace manactl::datapath::dpdk
