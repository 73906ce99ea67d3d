// SPDX-License-Identifier: MIT
//
// What a lane of mode rtt keeps, in every engine: how many of its requests are on the way, and the
// times of the answers that came in on it, whichever lane had asked.

#pragma once

#include <cstdint>
#include <ctime>
#include <span>
#include <vector>

#include "datapath/histogram.h"
#include "datapath/request.h"
#include "datapath/trial.h"

namespace manactl::datapath {

// Nanoseconds of CLOCK_MONOTONIC.
inline std::uint64_t request_time() noexcept {
  constexpr std::uint64_t kSecond = 1'000'000'000;
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * kSecond + static_cast<std::uint64_t>(now.tv_nsec);
}

struct Requests {
  explicit Requests(unsigned most) : window(most) {}

  // Writes the next `count` requests into the payloads at(0), at(1), ... All have the time at which
  // the last of them was ready.
  template <class At>
  void write(unsigned count, At at) const noexcept {
    auto request = next;
    request.stamp = request_time();
    for (unsigned i = 0; i < count; ++i) {
      write_request(request, RequestBytes(at(i), kRequestBytes));
      ++request.number;
    }
  }

  void sent(unsigned count) noexcept {
    next.number += count;
    window.sent(count);
  }

  // A frame came in by the time `now`, which moves on when its request left later than that.
  // False: it is no answer, or of an earlier trial.
  bool take(std::span<const std::uint8_t> frame, std::uint64_t& now) noexcept {
    const auto request = request_in(frame);
    if (!request || request->run != next.run || request->lane >= askers.size()) return stranger();
    if (request->stamp > now) now = request_time();
    if (request->stamp > now) return stranger();
    latency.add(now - request->stamp);
    askers[request->lane]->answered(1);
    if (!orders[request->lane].in_order(request->number)) ++answers.reordered;
    return true;
  }

  Request next;  // to be sent
  Window window;
  Histogram latency;            // nanoseconds
  std::vector<Window*> askers;  // the windows of all lanes
  std::vector<Order> orders;    // of the answers to each of them
  Answers answers;

 private:
  bool stranger() noexcept {
    ++answers.strangers;
    return false;
  }
};

using AllRequests = std::vector<Requests*>;  // of the lanes, in their order

// Once, when all lanes have their requests.
void connect_requests(const AllRequests& lanes);

// Before each trial, when the leftovers of the one before are in: forgets everything, and with
// another number what is still on the way.
void begin_requests(const AllRequests& lanes, std::uint16_t run);

// After each trial.
void collect_answers(const AllRequests& lanes, Trial& trial);

}  // namespace manactl::datapath
