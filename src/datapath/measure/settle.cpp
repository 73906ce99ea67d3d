// SPDX-License-Identifier: MIT
#include "datapath/measure/settle.h"

#include <fmt/format.h>

#include <numeric>
#include <span>

namespace manactl::datapath {

namespace {

// The part of a trial that belongs to one port.
struct Share {
  std::span<Sample> queues;
  Sample total;
  std::vector<std::string> notes;
};

// A packet counts as sent when the device has completed it.
void settle_sent(const DirectionCount& port, Share& share) {
  const auto& per_queue = port.queue_packets;
  const auto known = std::accumulate(per_queue.begin(), per_queue.end(), std::uint64_t{0});
  const auto posted = share.total.tx.packets;
  if (port.packets >= posted) return;

  // Some virtual drivers count only the first few queues, even in their totals.
  if (share.queues.size() > per_queue.size() && !per_queue.empty() && known == port.packets) {
    share.notes.push_back(
        fmt::format("the driver has counters for only {} queues, so this result takes all posted "
                    "packets as sent",
                    per_queue.size()));
    return;
  }
  // Failed packets are reported as errors.
  const auto missing = posted - port.packets;
  if (missing > port.errors) {
    share.notes.push_back(
        fmt::format("{} packets were posted but not completed", missing - port.errors));
  }
  set_packets(share.total.tx, port.packets);
  if (share.queues.size() != per_queue.size() || known != port.packets) {
    share.notes.emplace_back("the queues count posted packets, the total counts completed packets");
    return;
  }
  for (std::size_t i = 0; i < per_queue.size(); ++i) set_packets(share.queues[i].tx, per_queue[i]);
}

void settle_port(Mode mode, const std::optional<PortCount>& port, Share& share) {
  if (!port) {
    share.notes.emplace_back("the driver has no statistics: packet loss is unknown");
  } else if (port->is_reset) {
    share.notes.emplace_back(
        "the driver's counters were lost, as with net_memif when the other side ends: the counts "
        "are "
        "those of the workers, and packet loss is unknown");
  }
  const bool is_known = port && !port->is_reset;
  set_device_counts(mode, is_known ? port : std::nullopt, share.total);
  if (is_known && sends(mode)) settle_sent(port->tx, share);
  // Drivers count losses per port. If there is a single queue, all losses are its own.
  if (share.queues.size() == 1) {
    share.queues.front().tx = share.total.tx;
    share.queues.front().rx = share.total.rx;
  }
}

}  // namespace

void set_device_counts(Mode mode, const std::optional<PortCount>& port, Sample& total) {
  total.tx.errors = total.rx.errors = total.rx.missed = total.rx.no_buffer = std::nullopt;
  if (!port) return;
  if (sends(mode)) total.tx.errors = port->tx.errors;
  if (!receives(mode)) return;
  total.rx.errors = port->rx.errors;
  total.rx.missed = port->rx_missed;
  total.rx.no_buffer = port->rx_no_buffer;
}

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
