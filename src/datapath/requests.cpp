// SPDX-License-Identifier: MIT
#include "datapath/requests.h"

namespace manactl::datapath {

void connect_requests(const AllRequests& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    auto& requests = *lanes[i];
    requests.next.lane = static_cast<std::uint16_t>(i);
    requests.orders.resize(lanes.size());
    for (auto* lane : lanes) requests.askers.push_back(&lane->window);
  }
}

void begin_requests(const AllRequests& lanes, std::uint16_t run) {
  for (auto* requests : lanes) {
    requests->next.run = run;
    requests->next.number = 0;
    requests->window.clear();
    requests->latency = Histogram();
    requests->answers = {};
    for (auto& order : requests->orders) order.clear();
  }
}

void collect_answers(const AllRequests& lanes, Trial& trial) {
  trial.latency.emplace();
  for (const auto* requests : lanes) {
    *trial.latency += requests->latency;
    trial.answers.reordered += requests->answers.reordered;
    trial.answers.strangers += requests->answers.strangers;
  }
}

}  // namespace manactl::datapath
