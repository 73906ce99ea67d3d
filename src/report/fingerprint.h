// SPDX-License-Identifier: MIT
//
// Describes the machine that a measurement ran on. All fields are readable without root. A field
// that cannot be read stays empty.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "os/files.h"

namespace manactl::report {

struct Fingerprint {
  std::string host;           // name of the host
  std::string kernel;         // "6.8.0-1062-azure"
  std::string distribution;   // "ubuntu 24.04"
  std::string cpu;            // "AMD EPYC 9V74 80-Core Processor"
  unsigned cpus = 0;          // online; 0: unknown
  unsigned numa_nodes = 0;    // 0: unknown
  std::string governor;       // "performance"; a list if CPUs differ; empty: none
  std::string isolated_cpus;  // "2-7"; empty: none
  std::string nohz_full_cpus;
  std::string smt;          // "on", "off", "notsupported"
  std::string clocksource;  // "hyperv_clocksource_tsc_page"
  std::string hypervisor;   // "Microsoft Corporation Virtual Machine", "xen"; empty: none detected
  std::uint64_t memory_kib = 0;

  bool operator==(const Fingerprint&) const = default;
};

Fingerprint fingerprint(const os::Files& files);

// Returns the load average of the last minute (/proc/loadavg).
std::optional<double> load_average(const os::Files& files);

}  // namespace manactl::report
