// SPDX-License-Identifier: MIT
//
// An SQ with its CQ. Of what is posted together, only the last WQE asks for a completion; packets
// that fail have one of their own.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/verbs/context.h"
#include "datapath/verbs/rings.h"

namespace manactl::datapath::verbs {

// The part that runs for every burst. Positions count WQEs for ever, modulo 2^32.
class SendRing {
 public:
  SendRing() = default;
  SendRing(const manadv_qp& queue, const manadv_cq& completions, RingCall* call);

  // Of the ring; a power of two, and at least as many as may be in flight.
  std::uint32_t slots() const { return mask_ + 1; }

  std::uint32_t head() const noexcept { return head_; }

  // Everything below was completed.
  std::uint32_t done() const noexcept { return done_; }

  std::uint32_t room() const noexcept { return count_ - (head_ - done_); }

  std::uint64_t errors() const noexcept { return errors_; }

  // An entry of the CQ was overwritten: nothing that it says can be believed.
  bool broken() const { return reader_.overflowed(); }

  Wqe& at(std::uint32_t position) const noexcept { return ring_[position & mask_]; }

  // One that is complete but for the packet, without a completion of its own.
  Wqe blank() const noexcept { return {kOneSegment, oob_ | kSuppress, 0, 0}; }

  // Hands over `count` WQEs from the head on; 1 to room().
  void post(std::uint32_t count) noexcept {
    head_ += count;
    at(head_ - 1).oob = oob_;
    asked_[asked_tail_++ & mask_] = head_ - 1;
    const std::uint32_t tail = head_ * wire::kBasicUnit;  // modulo 2^32
    doorbell_.ring(id_ | std::uint64_t{tail} << 32U);
  }

  // Takes what was completed. Its slots are as blank() made them again.
  void reclaim() noexcept {
    while (const auto* entry = reader_.take()) complete(entry);
  }

 private:
  void complete(const std::uint8_t* entry) noexcept {
    const auto position = asked_[asked_head_ & mask_];
    if (type_of(entry) != wire::CqeType::tx_okay) [[unlikely]] {
      ++errors_;
      // A packet in the middle; the one that asked is still to come.
      if (slot_of(entry) != (position & mask_)) return;
    }
    ++asked_head_;
    done_ = position + 1;
    at(position).oob = oob_ | kSuppress;
  }

  // The offset is in basic units, five bits up.
  std::uint32_t slot_of(const std::uint8_t* entry) const noexcept {
    return dword(entry, 2) / wire::kBasicUnit & mask_;
  }

  Wqe* ring_ = nullptr;
  std::uint32_t mask_ = 0, count_ = 0;
  std::uint32_t head_ = 0, done_ = 0;
  std::uint64_t id_ = 0, oob_ = 0;
  Doorbell doorbell_;
  CompletionReader reader_;
  std::uint64_t errors_ = 0;
  std::uint32_t asked_head_ = 0, asked_tail_ = 0;
  std::vector<std::uint32_t> asked_;  // positions, as many as there are slots
};

class SendQueue {
 public:
  static Result<SendQueue> make(const Context& context, std::uint32_t entries);

  SendRing& ring() { return ring_; }

 private:
  SendQueue(Owned<ibv_cq> cq, Owned<ibv_qp> qp, SendRing ring)
      : cq_(std::move(cq)), qp_(std::move(qp)), ring_(std::move(ring)) {}

  Owned<ibv_cq> cq_;  // goes after the QP
  Owned<ibv_qp> qp_;
  SendRing ring_;
};

}  // namespace manactl::datapath::verbs
