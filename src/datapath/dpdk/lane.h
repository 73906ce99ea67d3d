// SPDX-License-Identifier: MIT
//
// One queue of a DPDK port with the state of its worker.

#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "datapath/measure/worker.h"
#include "datapath/traffic/frame.h"

struct rte_mbuf;
struct rte_mempool;

namespace manactl::datapath::dpdk {

inline constexpr unsigned kMaxBurst = 256;

// How a sender varies its packets: sizes follow a pattern, source ports take turns.
struct Rotation {
  std::vector<Shape> shapes;          // one per size
  std::vector<std::uint8_t> pattern;  // indexes into `shapes` for one round plus one burst
  unsigned round = 1, at = 0;         // packets per round; position of the next packet in `pattern`
  std::uint16_t first_port = 0, last_port = 0, port = 0;

  bool changes_sizes() const noexcept { return shapes.size() > 1; }

  bool changes_packets() const noexcept { return changes_sizes() || first_port != last_port; }
};

struct alignas(kOwnLines) Lane : BaseLane {
  std::uint16_t port = 0, queue = 0;
  std::uint16_t frame_bytes = 0;  // size of packets that do not rotate; without FCS
  std::uint16_t out_port = 0;     // fwd: port that sends the received packets, on the same queue
  rte_mempool* pool = nullptr;    // packets to send; receive buffers if the mode generates none
  Rotation rotation;
  alignas(kOwnLines) std::array<rte_mbuf*, kMaxBurst> packets{};
};

}  // namespace manactl::datapath::dpdk
