// SPDX-License-Identifier: MIT
#include "datapath/settle.h"

#include <fmt/format.h>

#include <numeric>
#include <span>

namespace manactl::datapath {

namespace {

// What one port contributed to the trial.
struct Share {
  std::span<Sample> queues;
  Sample total;
  std::vector<std::string> notes;
};

// The bytes of `packets` out of those that were handed over.
std::uint64_t bytes_of(const Count& handed, std::uint64_t packets) {
  if (handed.packets == 0) return 0;
  return static_cast<std::uint64_t>(static_cast<double>(handed.bytes) /
                                    static_cast<double>(handed.packets) *
                                    static_cast<double>(packets));
}

void replace(Count& handed, std::uint64_t packets) {
  handed.bytes = bytes_of(handed, packets);
  handed.packets = packets;
}

// A sent packet counts when the device has completed it.
void settle_sent(const DirectionCount& port, Share& share) {
  const auto& per_queue = port.queue_packets;
  const auto known = std::accumulate(per_queue.begin(), per_queue.end(), std::uint64_t{0});
  const auto handed = share.total.tx.packets;
  share.total.tx.errors = port.errors;
  if (port.packets >= handed) return;

  // Some virtual drivers leave the queues that they do not count one by one out of the total too.
  if (share.queues.size() > per_queue.size() && !per_queue.empty() && known == port.packets) {
    share.notes.push_back(fmt::format(
        "the driver counts {} queues only: packets are those handed over", per_queue.size()));
    return;
  }
  share.notes.push_back(
      fmt::format("{} packets were handed over but not completed", handed - port.packets));
  replace(share.total.tx, port.packets);
  if (share.queues.size() != per_queue.size() || known != port.packets) {
    share.notes.emplace_back("the queues show packets handed over, the total completed ones");
    return;
  }
  for (std::size_t i = 0; i < per_queue.size(); ++i) replace(share.queues[i].tx, per_queue[i]);
}

void settle_port(Mode mode, const std::optional<PortCount>& port, Share& share) {
  if (!port) {
    share.notes.emplace_back("the driver has no statistics: losses are not known");
    return;
  }
  if (sends(mode)) settle_sent(port->tx, share);
  if (receives(mode)) {
    share.total.rx.errors = port->rx.errors;
    share.total.rx.missed = port->rx_missed;
    share.total.rx.no_buffer = port->rx_no_buffer;
  }
  // Drivers count losses per port; with one queue there is no doubt whose they are.
  if (share.queues.size() == 1) {
    share.queues.front().tx = share.total.tx;
    share.queues.front().rx = share.total.rx;
  }
}

}  // namespace

void settle(Mode mode,
            std::size_t queues,
            const std::vector<std::optional<PortCount>>& ports,
            Trial& trial) {
  Sample total;
  total.seconds = trial.total.seconds;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    Share share{std::span(trial.queues).subspan(i * queues, queues), {}, {}};
    for (const auto& queue : share.queues) share.total += queue;
    settle_port(mode, ports[i], share);
    total += share.total;
    for (auto& note : share.notes) {
      trial.notes.push_back(ports.size() == 1 ? std::move(note)
                                              : fmt::format("port {}: {}", i, note));
    }
  }
  trial.total = total;
}

}  // namespace manactl::datapath
