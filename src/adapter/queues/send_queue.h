// SPDX-License-Identifier: MIT
//
// One SQ with its CQ: takes and checks posted WQEs, passes their frames to the backend and writes
// completions. Not thread-safe.

#pragma once

#include <vector>

#include "adapter/link/backend.h"
#include "adapter/queues/completion_ring.h"
#include "adapter/queues/queue_setup.h"
#include "adapter/queues/work_ring.h"
#include "wire/oob.h"

namespace manactl::adapter {

class SendQueue {
 public:
  SendQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port);
  SendQueue(const SendQueue&) = delete;
  SendQueue& operator=(const SendQueue&) = delete;
  ~SendQueue();  // notes a violation if the driver could not have sent any more

  const QueueIds& ids() const { return ids_; }

  struct Drained {
    std::size_t wqes = 0;
    std::uint64_t bytes = 0;
  };

  // Takes and completes up to `max_wqes` WQEs before `tail`.
  Drained drain(std::uint32_t tail, Backend& backend, std::size_t max_wqes = SIZE_MAX);

  void arm(std::uint32_t head);

  // The driver has read `entries` more completions. If `arms` is true, it requests an event.
  void arm_after(std::uint32_t entries, bool arms);

  // Stops the queue permanently.
  void halt() { halted_ = true; }

  // True if all WQEs since the last completion suppressed theirs, and another WQE like the last one
  // does not fit: the driver waits for a completion that never comes.
  bool is_stuck() const { return ring_.taken() - completed_ + last_wqe_bytes_ > capacity_; }

  bool uses(const Extent& memory) const {
    return ring_.extent().overlaps(memory) || cq_.extent().overlaps(memory);
  }

 private:
  static constexpr std::size_t kBurst = 32;

  // A WQE between its check and its completion.
  struct Sent {
    std::uint32_t offset;
    std::uint32_t end;  // like WorkRing::taken()
    wire::CqeType type;
    bool suppressed;
  };

  std::size_t burst(Backend& backend, std::size_t max_wqes);
  inline bool send_single(Sent& sent);
  Sent send(const TakenWqe& wqe, bool reads_frames);
  bool is_valid_oob(const TakenWqe& wqe, std::uint64_t word) const;
  wire::CqeType report_oob(const TakenWqe& wqe, std::uint64_t word);
  wire::CqeType report_frame_size(std::uint64_t bytes);
  bool is_too_long(const TakenWqe& wqe, std::uint64_t bytes, bool readable) const;
  void queue_frame(const TakenWqe& wqe, std::uint64_t word, std::uint64_t bytes);
  wire::CqeType queue_segments(const TakenWqe& wqe);
  std::vector<std::uint8_t> gather(const TakenWqe& wqe, std::uint64_t bytes) const;
  inline void complete(const Sent& sent);

  PortContext port_;
  QueueIds ids_;
  WorkRing ring_;
  CompletionRing cq_;
  std::function<void()> on_event_;
  std::uint64_t expected_short_, expected_long_;  // the fixed bits of a valid OOB
  CqeData okay_{};
  std::uint32_t completed_ = 0;  // end of the last WQE with a completion, like WorkRing::taken()
  std::uint32_t last_wqe_bytes_ = 0;
  // The bytes that the driver can rely on: one basic unit for each requested WQE. DPDK's net_mana
  // counts like this, although the ring has room for longer WQEs.
  std::uint32_t capacity_;
  std::uint64_t bytes_ = 0, errors_ = 0, completions_ = 0;  // totals of this burst
  std::vector<Frame> frames_;
  std::vector<std::vector<std::uint8_t>> copied_frames_;  // frames_ points into them
  bool halted_ = false;
};

}  // namespace manactl::adapter
