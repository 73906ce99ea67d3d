// SPDX-License-Identifier: MIT
//
// The bursts of the traffic modes: a function per mode and a row of kModeBursts in modes.cpp.
// Nothing here allocates, locks, throws or logs.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/measure/worker.h"
#include "datapath/verbs/receive_queue.h"
#include "datapath/verbs/send_pattern.h"

namespace manactl::datapath::verbs {

// The buffers of mode fwd. A packet is sent from the buffer in which it was received; the buffer is
// posted again once the packet is sent.
struct ForwardBuffers {
  std::vector<std::uint64_t> free;  // addresses; the first `count` are valid
  std::uint32_t count = 0;
  std::vector<std::uint64_t> sending;  // addresses, indexed by slot of the SQ
  std::uint32_t freed = 0;             // SQ position up to which `sending` was freed
  std::uint32_t key = 0;               // lkey of the memory
};

// One queue with the state of its worker. Without a device, the lane is parked and both rings are
// null.
struct alignas(kOwnLines) Lane : BaseLane {
  SendRing* tx = nullptr;
  ReceiveRing* rx = nullptr;  // null if the mode does not receive
  SendPattern send_pattern;
  ForwardBuffers forward_buffers;
  std::uint64_t abandoned =
      0;  // packets of this trial that were in flight when the device was closed
};

using Burst = BurstFunction<Lane>;

unsigned send(Lane& lane, std::uint64_t now) noexcept;
unsigned receive(Lane& lane, std::uint64_t now) noexcept;
unsigned send_and_receive(Lane& lane, std::uint64_t now) noexcept;
unsigned forward(Lane& lane, std::uint64_t now) noexcept;
unsigned receive_replies(Lane& lane, std::uint64_t now) noexcept;
unsigned exchange_requests(Lane& lane, std::uint64_t now) noexcept;

struct ModeBursts {
  Mode mode;
  Work work;
};

// Null if the engine does not support the mode.
const ModeBursts* find_bursts(Mode mode);

}  // namespace manactl::datapath::verbs
