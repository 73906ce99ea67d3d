// SPDX-License-Identifier: MIT
//
// Reads the time of CPUs since boot from /proc/stat (proc(5)), and the CPU time of threads from
// /proc/self/task/N/schedstat (Documentation/scheduler/sched-stats.rst).

#pragma once

#include <cstdint>
#include <optional>

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::report {

struct CpuTime {
  std::uint64_t total = 0;   // clock ticks, sum of the CPUs
  std::uint64_t stolen = 0;  // clock ticks in which the hypervisor ran other guests
};

// Fails with Errc::invalid if a CPU has no line in /proc/stat.
Result<CpuTime> cpu_time(const os::Files& files, const CpuList& cpus);

// Returns the stolen share of the CPU time between two readings; empty if no tick passed.
std::optional<double> stolen_share(const CpuTime& before, const CpuTime& after);

struct ThreadTime {
  std::uint64_t ran = 0;     // nanoseconds on a CPU, sum of the threads
  std::uint64_t waited = 0;  // nanoseconds runnable but waiting for a CPU, sum of the threads

  ThreadTime& operator+=(const ThreadTime& other);
};

// Returns the time of all threads of this process except the main thread, which only waits for the
// others. Fails with Errc::not_found if the kernel has no schedstat.
Result<ThreadTime> worker_time(const os::Files& files);

// Returns the share of the workers' runnable time spent waiting for a CPU; empty if no time passed.
std::optional<double> preempted_share(const ThreadTime& before, const ThreadTime& after);

// Returns the CPU time of the workers between two readings, in seconds; empty if no time passed.
std::optional<double> cpu_seconds(const ThreadTime& before, const ThreadTime& after);

}  // namespace manactl::report
