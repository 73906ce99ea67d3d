// SPDX-License-Identifier: MIT
//
// One RQ with its CQ: puts a frame into the next posted buffers and completes. Not for several
// threads at once.

#pragma once

#include <array>

#include "adapter/rss.h"
#include "adapter/send_queue.h"

namespace manactl::adapter {

class ReceiveQueue {
 public:
  ReceiveQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port);

  const QueueIds& ids() const { return ids_; }

  std::uint32_t posted() const { return halted_ ? 0 : ring_.posted(); }

  void announce(std::uint32_t tail) { ring_.announce(tail, port_.checker); }

  // A short doorbell: so many bytes more.
  void announce_more(std::uint32_t bytes) { announce(ring_.tail() + bytes); }

  void arm(std::uint32_t head);

  // The driver has read so many more completions; asks for an event if `wanted`.
  void arm_after(std::uint32_t entries, bool wanted);

  // False: no buffer is posted, or it cannot be used. Completions of several packets and events
  // wait for finish().
  bool receive(Frame frame, const Packet& packet, const Hash& hash);
  void finish();

  // The device is gone: nothing is done any more.
  void halt() { halted_ = true; }

  bool uses(const Extent& memory) const {
    return ring_.extent().overlaps(memory) || cq_.extent().overlaps(memory);
  }

 private:
  static constexpr std::size_t kMostPackets = 8;  // of one completion

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
  wire::RxCompletion gathered_;  // what the packets that wait for their completion have in common
  std::array<wire::RxPacket, kMostPackets> packets_{};
  std::size_t waiting_ = 0;
  bool halted_ = false;
};

}  // namespace manactl::adapter
