// SPDX-License-Identifier: MIT
//
// One RQ with its CQ: puts a frame into the next posted buffers and completes. Not for several
// threads at once.

#pragma once

#include "adapter/rss.h"
#include "adapter/send_queue.h"

namespace manactl::adapter {

class ReceiveQueue {
 public:
  ReceiveQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port);

  const QueueIds& ids() const { return ids_; }

  std::uint32_t posted() const { return ring_.posted(); }

  void announce(std::uint32_t tail) { ring_.announce(tail, port_.checker); }

  void arm(std::uint32_t head);

  // False: no buffer is posted, or it cannot be used. An event waits for finish().
  bool receive(Frame frame, const Packet& packet, const Hash& hash);
  void finish();

 private:
  std::size_t scatter(const TakenWqe& wqe, Frame frame) const;

  PortContext port_;
  QueueIds ids_;
  WorkRing ring_;
  CompletionRing cq_;
  std::function<void()> on_event_;
};

}  // namespace manactl::adapter
