// SPDX-License-Identifier: MIT
//
// What a worker does for one queue, one function per mode. Nothing here allocates, locks, throws or
// logs.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "datapath/counters.h"
#include "datapath/pace.h"
#include "datapath/requests.h"
#include "datapath/verbs/outbox.h"
#include "datapath/verbs/receive_queue.h"

namespace manactl::datapath::verbs {

// Received packets go out from the buffer in which they came in; it is offered again when they were
// sent.
struct Exchange {
  std::vector<std::uint64_t> free;  // addresses of buffers that nobody has, `count` of them
  std::uint32_t count = 0;
  std::vector<std::uint64_t> sending;  // by slot of the SQ
  std::uint32_t done = 0;              // position up to which `sending` was given back
  std::uint32_t key = 0;
};

// One queue, and all that its worker needs.
struct alignas(kOwnLines) Lane {
  SendRing* tx = nullptr;
  ReceiveRing* rx = nullptr;  // null for a sender
  std::uint32_t burst = 0;
  Pace pace;
  Outbox outbox;
  Exchange exchange;
  bool answers = false;                // fwd: requests of mode rtt have come
  std::unique_ptr<Requests> requests;  // of mode rtt
  Counters counters;
  Counter tx_errors, rx_errors;
};

// Serves the queue once and answers how many packets moved. `now` is the time of the call, in ticks
// of the cycle counter.
using Burst = unsigned (*)(Lane& lane, std::uint64_t now) noexcept;

unsigned send(Lane& lane, std::uint64_t now) noexcept;
unsigned receive(Lane& lane, std::uint64_t now) noexcept;
unsigned send_and_receive(Lane& lane, std::uint64_t now) noexcept;
unsigned forward(Lane& lane, std::uint64_t now) noexcept;
unsigned take_answers(Lane& lane, std::uint64_t now) noexcept;
unsigned ask_and_listen(Lane& lane, std::uint64_t now) noexcept;

Burst burst_of(Mode mode);

// That part of it which goes on when sending is over; null where nothing comes back.
Burst drain_of(Mode mode);

// Of the CPU; constant rate.
inline std::uint64_t cycles() noexcept {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t count = 0;
  asm volatile("mrs %0, cntvct_el0" : "=r"(count));
  return count;
#else
  return 0;
#endif
}

}  // namespace manactl::datapath::verbs
