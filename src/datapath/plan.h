// SPDX-License-Identifier: MIT
//
// Pure arithmetic on a plan: is it allowed, what memory does it take, which EAL arguments does it
// become, which queue runs on which core.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "datapath/bench.h"

namespace manactl::datapath {

// Errc::invalid names the option and the rule (net_mana: queues a power of two and at most 64,
// descriptors at least 64 and a multiple of 64; frames 64 to 9018 bytes).
Result<> validate(const BenchPlan& plan);

struct PoolSize {
  unsigned mbufs = 0;       // per queue
  unsigned mbuf_bytes = 0;  // data room with headroom
  std::uint64_t bytes = 0;  // of all queues, with mempool overhead, what EAL needs itself included
};

PoolSize pool_size(const BenchPlan& plan);

// Pages of the given size that a run takes.
std::uint64_t pages_needed(const BenchPlan& plan, std::uint64_t page_kib);

struct Placement {
  unsigned main_cpu = 0;
  std::vector<unsigned> worker_cpus;  // one per queue; CPUs repeat when there are too few
  bool shared = false;                // more queues than CPUs
};

Placement place(const BenchPlan& plan);

// Without argv[0]. Deterministic.
std::vector<std::string> eal_arguments(const BenchPlan& plan);

}  // namespace manactl::datapath
