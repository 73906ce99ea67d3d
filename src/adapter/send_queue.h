// SPDX-License-Identifier: MIT
//
// One SQ with its CQ: takes what is posted, checks every WQE, hands the frames to the backend, and
// completes. Not for several threads at once.

#pragma once

#include <vector>

#include "adapter/backend.h"
#include "adapter/clock.h"
#include "adapter/completion_ring.h"
#include "adapter/faults.h"
#include "adapter/queue_setup.h"
#include "adapter/work_ring.h"
#include "wire/oob.h"

namespace manactl::adapter {

// What all queues of a port share.
struct PortContext {
  const MemoryTable& memory;
  Checker& checker;
  PortCounters& counters;
  DataFaults& faults;
  std::uint32_t vport_offset = 0;
  std::uint32_t max_frame = 0;  // bytes, without FCS
  std::uint32_t coalesce = 1;   // packets of a receive completion: 1, 4 or 8
  const Clock& clock;
};

class SendQueue {
 public:
  SendQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port);

  const QueueIds& ids() const { return ids_; }

  struct Drained {
    std::size_t wqes = 0;
    std::uint64_t bytes = 0;
  };

  // Takes and completes up to `most` WQEs in front of `tail`.
  Drained drain(std::uint32_t tail, Backend& backend, std::size_t most = SIZE_MAX);

  void arm(std::uint32_t head);

  // The driver has read so many more completions; asks for an event if `wanted`.
  void arm_after(std::uint32_t entries, bool wanted);

  // The device is gone: nothing is done any more.
  void halt() { halted_ = true; }

  bool uses(const Extent& memory) const {
    return ring_.extent().overlaps(memory) || cq_.extent().overlaps(memory);
  }

 private:
  static constexpr std::size_t kBurst = 32;

  // A WQE between its check and its completion.
  struct Sent {
    std::uint32_t offset;
    wire::CqeType type;
    bool suppressed;
  };

  std::size_t burst(Backend& backend, std::size_t most);
  inline bool send_single(Sent& sent);
  Sent send(const TakenWqe& wqe, bool reads_frames);
  bool right_oob(const TakenWqe& wqe, std::uint64_t word) const;
  wire::CqeType wrong_oob(const TakenWqe& wqe, std::uint64_t word);
  wire::CqeType wrong_size(std::uint64_t bytes);
  void hand_over(const TakenWqe& wqe, std::uint64_t word, std::uint64_t bytes);
  wire::CqeType segments(const TakenWqe& wqe);
  std::vector<std::uint8_t> gather(const TakenWqe& wqe, std::uint64_t bytes) const;
  inline void complete(const Sent& sent);

  PortContext port_;
  QueueIds ids_;
  WorkRing ring_;
  CompletionRing cq_;
  std::function<void()> on_event_;
  std::uint64_t right_short_, right_long_;  // OOBs, without what may differ
  CqeData okay_{};
  std::uint64_t bytes_ = 0, errors_ = 0, completions_ = 0;  // of this burst
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint8_t>> own_;  // frames that had to be put together
  bool halted_ = false;
};

}  // namespace manactl::adapter
