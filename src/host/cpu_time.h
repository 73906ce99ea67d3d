// SPDX-License-Identifier: MIT
//
// What CPUs did with their time since boot: the lines cpuN of /proc/stat (proc(5)). And what this
// process's threads got of it: /proc/self/task/N/schedstat.

#pragma once

#include <cstdint>

#include "base/ids.h"
#include "base/result.h"
#include "os/files.h"

namespace manactl::host {

struct CpuTime {
  std::uint64_t total = 0;   // clock ticks, of all the CPUs together
  std::uint64_t stolen = 0;  // of these: the hypervisor ran somebody else
};

// Errc::invalid when a CPU has no line there.
Result<CpuTime> cpu_time(const os::Files& files, const CpuList& cpus);

// Share of the time between two readings; 0 when no tick went by.
double stolen_share(const CpuTime& before, const CpuTime& after);

struct ThreadTime {
  std::uint64_t ran = 0;     // nanoseconds on a CPU, of all threads together
  std::uint64_t waited = 0;  // ready to run, but others had the CPU
};

// Of the threads of this process but its main one, which only waits for the others.
// Errc::not_found where the kernel does not tell.
Result<ThreadTime> worker_time(const os::Files& files);

// Share of the time in which workers wanted to run that others had; 0 when they did not want to.
double waited_share(const ThreadTime& before, const ThreadTime& after);

}  // namespace manactl::host
