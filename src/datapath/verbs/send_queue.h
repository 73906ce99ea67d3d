// SPDX-License-Identifier: MIT
//
// An SQ with its CQ. Of the WQEs that are posted together, only the last one is signaled. The
// device also writes a completion for each packet that fails.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/verbs/context.h"
#include "datapath/verbs/rings.h"

namespace manactl::datapath::verbs {

// The part of a send queue that runs for every burst. Positions count WQEs modulo 2^32.
class SendRing {
 public:
  SendRing() = default;
  SendRing(const manadv_qp& queue, const manadv_cq& completions, DoorbellFunction* call);

  // The size of the ring: a power of two, at least the number of WQEs in flight.
  std::uint32_t slots() const { return mask_ + 1; }

  std::uint32_t head() const noexcept { return head_; }

  // All WQEs before this position are completed.
  std::uint32_t completed() const noexcept { return completed_; }

  std::uint32_t free_entries() const noexcept { return count_ - (head_ - completed_); }

  std::uint64_t errors() const noexcept { return errors_; }

  // Adds the errors that the replaced ring had counted.
  void add_errors(std::uint64_t count) noexcept { errors_ += count; }

  // True if a CQ entry was overwritten: the counts are wrong from then on.
  bool overflowed() const { return reader_.overflowed(); }

  Wqe& at(std::uint32_t position) const noexcept { return ring_[position & mask_]; }

  // A WQE that has no packet and requests no completion.
  Wqe unsignaled_wqe() const noexcept { return {kOneSegment, oob_ | kSuppressCompletion, 0, 0}; }

  // Posts `count` WQEs from the head on, 1 to free_entries(); the last one is signaled.
  void post(std::uint32_t count) noexcept {
    head_ += count;
    at(head_ - 1).oob = oob_;
    signaled_[signaled_tail_++ & mask_] = head_ - 1;
    const std::uint32_t tail = head_ * wire::kBasicUnit;  // modulo 2^32
    doorbell_.ring(id_ | std::uint64_t{tail} << 32U);
  }

  // Processes completions and makes their WQEs unsignaled again.
  void reclaim() noexcept {
    while (const auto* entry = reader_.next()) complete(entry);
  }

 private:
  void complete(const std::uint8_t* entry) noexcept {
    const auto position = signaled_[signaled_head_ & mask_];
    if (type_of(entry) != wire::CqeType::tx_okay) [[unlikely]] {
      ++errors_;
      // The failed packet is unsignaled; the completion of the signaled one follows.
      if (slot_of(entry) != (position & mask_)) return;
    }
    ++signaled_head_;
    completed_ = position + 1;
    at(position).oob = oob_ | kSuppressCompletion;
  }

  // The slot of the WQE, from the WQE's byte offset in the entry.
  std::uint32_t slot_of(const std::uint8_t* entry) const noexcept {
    return dword(entry, 2) / wire::kBasicUnit & mask_;
  }

  Wqe* ring_ = nullptr;
  std::uint32_t mask_ = 0, count_ = 0;
  std::uint32_t head_ = 0, completed_ = 0;
  std::uint64_t id_ = 0, oob_ = 0;
  Doorbell doorbell_;
  CompletionReader reader_;
  std::uint64_t errors_ = 0;
  std::uint32_t signaled_head_ = 0, signaled_tail_ = 0;
  std::vector<std::uint32_t> signaled_;  // positions of signaled WQEs, a ring of slots() entries
};

class SendQueue {
 public:
  static Result<SendQueue> make(const Context& context, std::uint32_t entries);

  SendRing& ring() { return ring_; }

 private:
  SendQueue(Owned<ibv_cq> cq, Owned<ibv_qp> qp, SendRing ring)
      : cq_(std::move(cq)), qp_(std::move(qp)), ring_(std::move(ring)) {}

  Owned<ibv_cq> cq_;  // destroyed after the QP
  Owned<ibv_qp> qp_;
  SendRing ring_;
};

}  // namespace manactl::datapath::verbs
