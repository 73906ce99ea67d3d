// SPDX-License-Identifier: MIT
#include "datapath/settle.h"

#include <algorithm>
#include <numeric>

namespace manactl::datapath {

namespace {

Sample sum(const std::vector<Sample>& queues) {
  Sample total;
  for (const auto& queue : queues) {
    total.seconds = std::max(total.seconds, queue.seconds);
    total.packets += queue.packets;
    total.bytes += queue.bytes;
    total.missed += queue.missed;
    total.errors += queue.errors;
  }
  return total;
}

// A sent packet counts when the device has completed it.
void settle_sent(const BenchPlan& plan, const PortCount& port, Settled& settled) {
  const auto& per_queue = port.queue_packets;
  const auto known = std::accumulate(per_queue.begin(), per_queue.end(), std::uint64_t{0});
  const auto handed = settled.total.packets;
  if (port.packets >= handed) return;

  // Some virtual drivers leave the queues that they do not count one by one out of the total too.
  if (settled.queues.size() > per_queue.size() && !per_queue.empty() && known == port.packets) {
    settled.notes.push_back(fmt::format(
        "the driver counts {} queues only: packets are those handed over", per_queue.size()));
    return;
  }
  settled.notes.push_back(
      fmt::format("{} packets were handed over but not completed", handed - port.packets));
  settled.total.packets = port.packets;
  settled.total.bytes = port.packets * plan.frame_bytes;
  if (settled.queues.size() != per_queue.size() || known != port.packets) {
    settled.notes.emplace_back("the queues show packets handed over, the total completed ones");
    return;
  }
  for (std::size_t i = 0; i < per_queue.size(); ++i) {
    settled.queues[i].packets = per_queue[i];
    settled.queues[i].bytes = per_queue[i] * plan.frame_bytes;
  }
}

}  // namespace

Settled settle(const BenchPlan& plan,
               std::vector<Sample> counted,
               const std::optional<PortCount>& port) {
  Settled settled{std::move(counted), {}, {}};
  settled.total = sum(settled.queues);
  if (!port) {
    settled.notes.emplace_back("the driver has no statistics: losses are not known");
    return settled;
  }
  settled.total.errors = port->errors;
  if (plan.mode == Mode::tx) {
    settle_sent(plan, *port, settled);
  } else {
    settled.total.missed = port->missed;
  }
  // Drivers count losses per port; with one queue there is no doubt whose they are.
  if (settled.queues.size() == 1) settled.queues.front() = settled.total;
  return settled;
}

}  // namespace manactl::datapath
