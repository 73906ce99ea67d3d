// SPDX-License-Identifier: MIT
//
// What a measurement depends on besides its plan: the machine it ran on. All of it can be read
// without root, and what cannot be read is left empty: a result is worth printing without it.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "host/cpu_time.h"
#include "os/files.h"

namespace manactl::host {

struct Fingerprint {
  std::string kernel;         // "6.8.0-1062-azure"
  std::string distribution;   // "ubuntu 24.04"
  std::string cpu;            // "AMD EPYC 9V74 80-Core Processor"
  unsigned cpus = 0;          // online; 0: not known
  unsigned numa_nodes = 0;    // 0: not known
  std::string governor;       // "performance"; several, if CPUs differ; empty where there is none
  std::string isolated_cpus;  // "2-7"; empty: none
  std::string nohz_full_cpus;
  std::string smt;          // "on", "off", "notsupported"
  std::string clocksource;  // "hyperv_clocksource_tsc_page"
  std::string hypervisor;   // "Microsoft Corporation Virtual Machine", "xen"; empty: none is seen
  std::uint64_t memory_kib = 0;

  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint(const os::Files& files);

// The mean number of runnable threads in the last minute (proc(5), loadavg).
std::optional<double> load(const os::Files& files);

}  // namespace manactl::host
