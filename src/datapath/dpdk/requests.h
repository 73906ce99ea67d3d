// SPDX-License-Identifier: MIT
//
// What a lane of mode rtt keeps: how many of its requests are on the way, and the times of the
// answers that came in on it, whichever lane had asked.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/histogram.h"
#include "datapath/request.h"
#include "datapath/trial.h"

namespace manactl::datapath::dpdk {

struct Lane;

struct Requests {
  explicit Requests(unsigned most) : window(most) {}

  Request next;  // to be sent
  Window window;
  Histogram latency;            // nanoseconds
  std::vector<Window*> askers;  // the windows of all lanes
  std::vector<Order> orders;    // of the answers to each of them
  Answers answers;
};

// Once, when all lanes have their requests.
void connect_requests(std::vector<Lane>& lanes);

// Before each trial: forgets everything, and with another number what is still on the way.
void begin_requests(std::vector<Lane>& lanes, std::uint16_t run);

// After each trial.
void collect_answers(const std::vector<Lane>& lanes, Trial& trial);

}  // namespace manactl::datapath::dpdk
