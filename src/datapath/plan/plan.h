// SPDX-License-Identifier: MIT
//
// Calculations on a plan, which do not access the system: whether it is valid (validate.cpp), its
// memory, its EAL arguments, and the CPU of each queue.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datapath/bench.h"
#include "datapath/plan/fields.h"

namespace manactl::datapath {

// Fails with Errc::invalid; the message contains the field (PlanField) and the rule. The limits are
// 64 queues (for NICs a power of two), multiples of 64 descriptors, and frames of 64 to 9018 bytes.
Result<> validate(const BenchPlan& plan);

// Bytes of the largest frame with an MTU of 1500, which every receiver accepts.
inline constexpr std::uint16_t kMaxStandardFrame = 1518;

// True if packets of the plan's sizes arrive without a sender, because net_null creates them.
bool device_creates_packets(const BenchPlan& plan);

// The values of mac= in a --vdev argument that starts with a PCI address: one per port.
std::vector<std::string_view> macs_in(std::string_view device);
std::vector<MacAddress> macs_of(std::string_view device);

// True if a device of the plan is a MANA port and not a virtual device of DPDK.
bool measures_mana(const BenchPlan& plan);

// The number of ports that the devices of the plan create.
std::size_t port_count(const BenchPlan& plan);

// Every queue has a pool for the packets that it sends or receives. A port that generates packets
// also has a ring pool for its receive rings, so that the device cannot overwrite prebuilt packets.
struct PoolSize {
  unsigned mbufs = 0;            // per queue
  unsigned mbuf_bytes = 0;       // data room with headroom
  unsigned cache = 0;            // mbufs per lcore and queue
  unsigned ring_mbufs = 0;       // mbufs in the ring pool of each port; 0 without a ring pool
  unsigned ring_cache = 0;       // per lcore; 0 if the mode does not receive
  unsigned ring_mbuf_bytes = 0;  // data room with headroom
  std::uint64_t bytes = 0;       // memory of all ports, with the overhead of mempools and EAL
};

PoolSize pool_size(const BenchPlan& plan);

// The number of pages of `page_kib` KiB that a run needs.
std::uint64_t pages_needed(const BenchPlan& plan, std::uint64_t page_kib);

// There is one thread per CPU. It serves all queues of its CPU in turn, so that no queue waits for
// a time slice. To stop, it needs at most one more visit to each of its queues.
struct Placement {
  unsigned main_cpu = 0;
  std::vector<unsigned> worker_cpus;  // one per queue, ordered by port; CPUs may repeat
  bool has_own_main_cpu = false;      // no queue uses the CPU of the main thread
  bool shared = false;                // more queues than CPUs, or no CPU besides the main one

  // The CPUs of worker_cpus without repetition: worker i is EAL's lcore i + 1.
  std::vector<unsigned> workers() const;

  // A note such as "8 queues share 1 CPU besides that of the main thread: ..."; empty if no CPU is
  // shared.
  std::string note() const;
};

Placement place(const BenchPlan& plan);

// The devices of the plan as DPDK's devargs, such as "7870:00:00.0,mac=00:0d:3a:76:3b:d1". A PCI
// slot has one entry with all of its NICs, because a driver probes a device once.
std::vector<std::string> device_arguments(const BenchPlan& plan);

// EAL's arguments for the plan, without argv[0]. An empty plan.cpus means CPU 0.
std::vector<std::string> eal_arguments(const BenchPlan& plan);

}  // namespace manactl::datapath
