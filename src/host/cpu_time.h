// SPDX-License-Identifier: MIT
//
// What CPUs did with their time since boot: the lines cpuN of /proc/stat (proc(5)).

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

}  // namespace manactl::host
