// SPDX-License-Identifier: MIT
//
// The receive half of a port: RQs behind an RSS indirection table. One lock protects the RQs and
// the table. The receiver takes no other lock of the adapter, so callers may hold a send queue's.

#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>

#include "adapter/link/backend.h"
#include "adapter/queues/receive_queue.h"

namespace manactl::adapter {

class Receiver final : public Ingress {
 public:
  explicit Receiver(const PortContext& port) : port_(port) {}

  void add_queue(const QueueSetup& setup, const QueueIds& ids);

  // Removes a queue; its memory is no longer accessed. False if `id` is unknown.
  bool remove_queue(std::uint32_t id);

  // Frames are dropped if `rss` is absent, or if their table entry has no queue.
  void set_rss(std::optional<Rss> rss);

  void deliver(std::span<const Frame> frames) override;

  // Handles an RQ doorbell; returns the number of frames for which there are buffers that were not
  // reported before: the basic units posted, and the buffers that frames dropped by a fault have
  // left unused. nullopt if `id` is unknown.
  std::optional<std::size_t> announce(std::uint32_t id, std::uint32_t tail);

  // Handle short doorbells, like announce() and arm(), which contain short IDs and increments.
  std::optional<std::size_t> announce_more(std::uint32_t short_id, std::uint32_t bytes);
  bool arm_after(std::uint32_t short_cq_id, std::uint32_t entries, bool arms);

  // False if there is no such queue.
  bool arm(std::uint32_t cq_id, std::uint32_t head);

  // The number of basic units posted on all queues.
  std::size_t posted_units();

  // Stops all queues permanently. A stopped queue keeps its ID until it is removed.
  void halt();

  // Like halt(), but only for queues with rings in `memory`.
  void halt_queues_in(const Extent& memory);

 private:
  ReceiveQueue* find(std::uint32_t id);
  ReceiveQueue* find_short(std::uint32_t id, bool cq);

  PortContext port_;
  std::mutex mutex_;
  std::array<std::unique_ptr<ReceiveQueue>, kQueuesPerPort> queues_;
  std::optional<Rss> rss_;
  std::size_t unused_ = 0;  // frames that a fault dropped since the last RQ doorbell
};

}  // namespace manactl::adapter
