// SPDX-License-Identifier: MIT
//
// The receiving half of a port: RQs behind an indirection table. One lock; no call out of it takes
// another lock of the adapter, so senders may hold theirs.

#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "adapter/receive_queue.h"

namespace manactl::adapter {

class Receiver final : public Ingress {
 public:
  explicit Receiver(const PortContext& port) : port_(port) {}

  void add_queue(const QueueSetup& setup, const QueueIds& ids);

  // When it returns, nothing touches the queue's memory or its buffers any more.
  bool remove_queue(std::uint32_t id);

  // Frames go nowhere without RSS. A table that names a queue that is not there drops its share.
  void set_rss(std::optional<Rss> rss);

  void deliver(std::span<const Frame> frames) override;

  // A doorbell of an RQ. Answers how many basic units it posted; no value: there is no such queue.
  std::optional<std::size_t> announce(std::uint32_t id, std::uint32_t tail);

  // The same of short doorbells, which say how many bytes more; the id is short, too.
  std::optional<std::size_t> announce_more(std::uint32_t short_id, std::uint32_t bytes);
  bool arm_after(std::uint32_t short_cq_id, std::uint32_t entries, bool wanted);

  // False: there is no such queue.
  bool arm(std::uint32_t cq_id, std::uint32_t head);

  // Basic units that are posted on all queues.
  std::size_t room();

  // The device is gone: the queues stay, and get nothing any more.
  void halt();

  // The same for queues whose rings are here.
  void lose(const Extent& memory);

 private:
  ReceiveQueue* find(std::uint32_t id);
  ReceiveQueue* find_short(std::uint32_t id, bool cq);

  PortContext port_;
  std::mutex mutex_;
  std::array<std::unique_ptr<ReceiveQueue>, kQueuesPerPort> queues_;
  std::optional<Rss> rss_;
};

}  // namespace manactl::adapter
