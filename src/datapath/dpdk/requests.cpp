// SPDX-License-Identifier: MIT
#include "datapath/dpdk/requests.h"

#include "datapath/dpdk/lane.h"

namespace manactl::datapath::dpdk {

void connect_requests(std::vector<Lane>& lanes) {
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    auto& requests = *lanes[i].requests;
    requests.next.lane = static_cast<std::uint16_t>(i);
    requests.orders.resize(lanes.size());
    for (auto& lane : lanes) requests.askers.push_back(&lane.requests->window);
  }
}

void begin_requests(std::vector<Lane>& lanes, std::uint16_t run) {
  for (auto& lane : lanes) {
    auto& requests = *lane.requests;
    requests.next.run = run;
    requests.next.number = 0;
    requests.window.clear();
    requests.latency = Histogram();
    requests.answers = {};
    for (auto& order : requests.orders) order.clear();
  }
}

void collect_answers(const std::vector<Lane>& lanes, Trial& trial) {
  trial.latency.emplace();
  for (const auto& lane : lanes) {
    *trial.latency += lane.requests->latency;
    trial.answers.reordered += lane.requests->answers.reordered;
    trial.answers.strangers += lane.requests->answers.strangers;
  }
}

}  // namespace manactl::datapath::dpdk
