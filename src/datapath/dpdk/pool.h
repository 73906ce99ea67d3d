// SPDX-License-Identifier: MIT
//
// Packet pools, owned.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "datapath/plan.h"

struct rte_mempool;

namespace manactl::datapath::dpdk {

struct FreePool {
  void operator()(rte_mempool* pool) const;
};

using Pool = std::unique_ptr<rte_mempool, FreePool>;

// A pool for one queue of a port, as pool_size() says.
Result<Pool> make_queue_pool(const BenchPlan& plan, unsigned port, unsigned queue, int node);

// The pool behind the receive rings of a port that sends.
Result<Pool> make_ring_pool(const BenchPlan& plan, unsigned port, int node);

// Makes every object of the pool a finished packet. From here on only whole packets may be taken
// and given back, which drivers do: freeing a packet leaves its bytes and lengths alone.
void finish_packets(rte_mempool& pool, std::span<const std::uint8_t> frame);

}  // namespace manactl::datapath::dpdk
