// SPDX-License-Identifier: MIT
//
// The load of the CPUs and of the queues of NICs at one time: interrupts, time of the CPUs, and
// counters of packets. The checks of speed compare two samples, or one sample with the boot.
// Sources: proc(5), Documentation/networking/scaling.rst and
// Documentation/ABI/testing/sysfs-class-net-queues of Linux.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "os/system.h"

namespace manactl::host {

struct Facts;

// An interrupt of a queue of MANA: "mana_q0@pci:7870:00:00.0" (mana_gd_setup_irqs, gdma_main.c).
struct QueueInterrupt {
  std::string name;
  PciAddress function;
  std::map<unsigned, std::uint64_t> counts;  // by CPU
  CpuList affinity;                          // CPUs that may receive it; empty if unknown
};

// Clock ticks since boot.
struct CpuUse {
  unsigned cpu = 0;
  std::uint64_t total = 0, softirq = 0;
  std::uint64_t net_rx = 0;  // softirqs NET_RX, not ticks
};

// The counters of an interface without those of single queues and CPUs: ethtool -S, and
// "rx_packets", "tx_packets", "tx_dropped", "rx_missed_errors" and "tx_timeout" from sysfs.
using LoadCounters = std::map<std::string, std::uint64_t>;

struct NicLoad {
  std::string name;  // Nic::name()
  LoadCounters synthetic = {}, vf = {};
  unsigned rx_queues = 0, rps_queues = 0;  // of the VF: all, and those with RPS
};

struct Load {
  double seconds = 0;  // since boot; 0 if unknown
  Result<std::vector<QueueInterrupt>> interrupts;
  Result<std::vector<CpuUse>> cpus;
  std::vector<NicLoad> nics;           // those of Facts::nics, in their order
  std::vector<std::string> wireguard;  // the interfaces of WireGuard
};

// `facts` must contain the NICs. A counter that cannot be read is left out.
Load gather_load(const os::System& system, const Facts& facts);

}  // namespace manactl::host
