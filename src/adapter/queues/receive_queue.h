// SPDX-License-Identifier: MIT
//
// One RQ with its CQ: copies frames into posted buffers and writes completions. Not thread-safe.

#pragma once

#include <array>

#include "adapter/net/rss.h"
#include "adapter/queues/completion_ring.h"
#include "adapter/queues/queue_setup.h"
#include "adapter/queues/work_ring.h"

namespace manactl::adapter {

class ReceiveQueue {
 public:
  ReceiveQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port);

  const QueueIds& ids() const { return ids_; }

  std::uint32_t posted() const { return halted_ ? 0 : ring_.posted(); }

  void announce(std::uint32_t tail) { ring_.announce(tail, port_.checker); }

  // Handles a short doorbell, which posts `bytes` more bytes.
  void announce_more(std::uint32_t bytes) { announce(ring_.tail() + bytes); }

  void arm(std::uint32_t head);

  // The driver has read `entries` more completions. If `arms` is true, it requests an event.
  void arm_after(std::uint32_t entries, bool arms);

  // receive() copies a frame into the next buffer; false if no valid buffer is posted. Call
  // finish() after the last frame; finish() writes coalesced completions and raises events.
  bool receive(Frame frame, const Packet& packet, const Hash& hash);
  void finish();

  // Stops the queue permanently.
  void halt() { halted_ = true; }

  bool uses(const Extent& memory) const {
    return ring_.extent().overlaps(memory) || cq_.extent().overlaps(memory);
  }

 private:
  static constexpr std::size_t kMaxCoalesced = 8;  // packets per completion

  std::size_t scatter(const TakenWqe& wqe, Frame frame) const;
  void complete(const wire::RxCompletion& completion);
  void flush();
  template <class T>
  void push(const T& completion);

  PortContext port_;
  QueueIds ids_;
  WorkRing ring_;
  CompletionRing cq_;
  std::function<void()> on_event_;
  wire::RxCompletion shared_;  // the common fields of the pending packets
  std::array<wire::RxPacket, kMaxCoalesced> pending_{};
  std::size_t pending_count_ = 0;
  std::vector<std::uint8_t> untagged_;  // the last frame whose tag was stripped
  bool halted_ = false;
};

}  // namespace manactl::adapter
