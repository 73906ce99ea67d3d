// SPDX-License-Identifier: MIT
#include "datapath/dpdk/instructions.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace manactl::datapath::dpdk {

Instructions::~Instructions() {
  const int file = file_.load(std::memory_order_relaxed);
  if (file != -1) close(file);
}

void Instructions::count_this_thread() noexcept {
  if (file_.load(std::memory_order_relaxed) >= 0) return;
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.size = sizeof attributes;
  attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
  attributes.exclude_kernel = 1;  // allowed without privilege
  attributes.exclude_hv = 1;
  const auto file = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  file_.store(static_cast<int>(file), std::memory_order_release);
}

ReportedCount Instructions::read() const noexcept {
  const int file = file_.load(std::memory_order_acquire);
  std::uint64_t count = 0;
  if (file == -1 || ::read(file, &count, sizeof count) != sizeof count) return {};
  return count;
}

}  // namespace manactl::datapath::dpdk
