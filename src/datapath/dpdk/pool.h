// SPDX-License-Identifier: MIT
//
// Packet pools that are freed with their owner.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "datapath/plan/plan.h"

struct rte_mempool;

namespace manactl::datapath::dpdk {

struct FreePool {
  void operator()(rte_mempool* pool) const;
};

using Pool = std::unique_ptr<rte_mempool, FreePool>;

// A pool for one queue of a port, of the size in pool_size().
Result<Pool> make_queue_pool(const BenchPlan& plan, unsigned port, unsigned queue, int node);

// One pool for all receive rings of a port whose queue pools hold prebuilt packets to send.
Result<Pool> make_ring_pool(const BenchPlan& plan, unsigned port, int node);

// Writes `frame` into every mbuf of the pool. The frames stay intact: when a driver frees an mbuf
// to its pool, neither its data nor its lengths change.
void prebuild_packets(rte_mempool& pool, std::span<const std::uint8_t> frame);

}  // namespace manactl::datapath::dpdk
