// SPDX-License-Identifier: MIT
//
// One queue and all that its worker needs. What a worker writes stands on cache lines of its own.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "datapath/counters.h"
#include "datapath/frame.h"
#include "datapath/pace.h"
#include "datapath/requests.h"

struct rte_mbuf;
struct rte_mempool;

namespace manactl::datapath::dpdk {

inline constexpr unsigned kMaxBurst = 256;

// How a sender changes every packet: its size after a pattern, its source port in turn.
struct Rotation {
  std::vector<Shape> shapes;          // of the sizes
  std::vector<std::uint8_t> pattern;  // index of the shape of each packet of a round, repeated
  unsigned round = 1, at = 0;         // packets of a round, and where in it the next one is
  std::uint16_t first_port = 0, last_port = 0, port = 0;

  bool changes_sizes() const noexcept { return shapes.size() > 1; }

  bool changes_packets() const noexcept { return changes_sizes() || first_port != last_port; }
};

struct alignas(kOwnLines) Lane {
  std::uint16_t port = 0, queue = 0, burst = 0;
  std::uint16_t frame_bytes = 0;  // of packets that are all alike, without FCS
  std::uint16_t out_port = 0;     // fwd: received packets leave here, by the queue of this number
  std::uint32_t out_lane = 0;     // the lane of that queue
  bool answers = false;           // fwd: requests have come, so each packet is looked at
  std::atomic<bool> gone{false};  // its device was removed; set by any thread
  // The worker has seen that, and leaves the lane alone until it is not gone any more.
  std::atomic<bool> parked{false};
  rte_mempool* pool = nullptr;  // of the packets that it sends or, sending none, receives
  Pace pace;
  Rotation rotation;
  alignas(kOwnLines) std::array<rte_mbuf*, kMaxBurst> packets{};
  std::unique_ptr<Requests> requests;  // of mode rtt
  Counters counters;

  bool in_use() const noexcept { return !gone.load(std::memory_order_acquire); }

  void count_sent(unsigned count, std::uint64_t bytes) noexcept {
    counters.tx_packets.add(count);
    counters.tx_bytes.add(bytes);
  }

  void count_received(unsigned count, std::uint64_t bytes) noexcept {
    counters.rx_packets.add(count);
    counters.rx_bytes.add(bytes);
  }
};

}  // namespace manactl::datapath::dpdk
