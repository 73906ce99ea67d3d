// SPDX-License-Identifier: MIT
//
// Pure arithmetic on a plan: is it allowed, what memory does it take, which EAL arguments does it
// become, which queue runs on which core.

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// Errc::invalid names the option and the rule (net_mana: queues a power of two and at most 64,
// descriptors at least 64 and a multiple of 64; frames 64 to 9018 bytes).
Result<> validate(const BenchPlan& plan);

// Whether a mode sends packets that it made itself.
inline bool makes_packets(Mode mode) {
  return sends(mode) && mode != Mode::fwd;
}

// The values of mac= in a --vdev argument with a PCI address: a driver makes a port of each.
std::vector<std::string_view> macs_in(std::string_view device);
std::vector<MacAddress> macs_of(std::string_view device);

// Ports that the devices of the plan make.
std::size_t port_count(const BenchPlan& plan);

// The pool of a queue holds the packets it sends or receives. A sender needs a second, common pool:
// the device fills its receive rings with it, and must not write into finished packets.
struct PoolSize {
  unsigned mbufs = 0;            // per queue
  unsigned mbuf_bytes = 0;       // data room with headroom
  unsigned cache = 0;            // per core and queue
  unsigned ring_mbufs = 0;       // common pool of a sender, one per port; 0 without
  unsigned ring_cache = 0;       // per core, of a sender that receives, too
  unsigned ring_mbuf_bytes = 0;  // data room with headroom
  std::uint64_t bytes = 0;  // of all ports, with mempool overhead, what EAL needs itself included
};

PoolSize pool_size(const BenchPlan& plan);

// Pages of the given size that a run takes.
std::uint64_t pages_needed(const BenchPlan& plan, std::uint64_t page_kib);

// One thread per CPU; when queues share a CPU its thread serves them in turn, so no queue waits for
// a time slice and a stop never takes longer than one burst.
struct Placement {
  unsigned main_cpu = 0;
  std::vector<unsigned> worker_cpus;  // one per queue, port by port; CPUs repeat when too few
  bool shared = false;                // more queues than CPUs, or no CPU beside the main one

  // The CPUs of worker_cpus, each once, in order: worker i is EAL's lcore i + 1.
  std::vector<unsigned> workers() const;

  // "8 queues share 1 CPU: not a MANA number"; empty when nothing is shared.
  std::string note() const;
};

Placement place(const BenchPlan& plan);

// Without argv[0]. Deterministic: an empty plan.cpus means CPU 0 here.
std::vector<std::string> eal_arguments(const BenchPlan& plan);

}  // namespace manactl::datapath
