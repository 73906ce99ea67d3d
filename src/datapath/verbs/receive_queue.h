// SPDX-License-Identifier: MIT
//
// RQs with their CQs behind an indirection table. Each slot of a ring has a buffer; the slot's WQE
// is rewritten only when the slot gets another buffer.

#pragma once

#include <cstdint>
#include <vector>

#include "datapath/verbs/context.h"
#include "datapath/verbs/rings.h"

namespace manactl::datapath::verbs {

// The part of a receive queue that runs for every burst. Positions count WQEs modulo 2^32.
class ReceiveRing {
 public:
  ReceiveRing() = default;
  ReceiveRing(const manadv_rwq& queue, const manadv_cq& completions, DoorbellFunction* call);

  // The size of the ring: a power of two, at least entries().
  std::uint32_t slots() const { return mask_ + 1; }

  // The maximum number of posted WQEs.
  std::uint32_t entries() const { return count_; }

  std::uint32_t head() const noexcept { return head_; }

  std::uint32_t free_entries() const noexcept { return count_ - (head_ - received_); }

  std::uint64_t errors() const noexcept { return errors_; }

  // Adds the errors that the replaced ring had counted.
  void add_errors(std::uint64_t count) noexcept { errors_ += count; }

  bool overflowed() const { return reader_.overflowed(); }

  Wqe& at(std::uint32_t position) const noexcept { return ring_[position & mask_]; }

  // Posts the buffers of the next `count` slots; at most free_entries().
  void post(std::uint32_t count) noexcept {
    head_ += count;
    const std::uint32_t tail = head_ * wire::kBasicUnit;  // modulo 2^32
    doorbell_.ring(id_ | std::uint64_t{tail} << 32U);
  }

  // Polls up to `max` completions and calls packet(position, bytes) for each packet in order of
  // arrival. A completion may hold several packets. A truncated packet has 0 bytes.
  template <class F>
  void poll(unsigned max, F packet) noexcept {
    while (max-- > 0) {
      const auto* entry = reader_.next();
      if (entry == nullptr) return;
      if (type_of(entry) == wire::CqeType::rx_okay) [[likely]] {
        packet(received_++, dword(entry, kFirstLength) & kLengthMask);
      } else {
        poll_rare(entry, packet);
      }
    }
  }

 private:
  static constexpr unsigned kFirstLength = 2;  // dwords
  static constexpr unsigned kRecord = 3;
  static constexpr std::uint32_t kLengthMask = 0xffff;

  template <class F>
  void poll_rare(const std::uint8_t* entry, F packet) noexcept {
    const auto type = type_of(entry);
    if (type == wire::CqeType::rx_truncated) {  // the packet consumed its buffer
      ++errors_;
      packet(received_++, 0U);
      return;
    }
    const bool four = type == wire::CqeType::rx_coalesced_4;
    if (!four && type != wire::CqeType::rx_coalesced_8) {
      errors_ += type == wire::CqeType::rx_object_fence ? 0U : 1U;
      return;
    }
    for (unsigned i = 0; i < wire::kRxRecords; ++i) {
      // A record of rx_coalesced_4 has one length, in its first dword. A record of rx_coalesced_8
      // has two lengths, in its second dword.
      const auto word = dword(entry, kFirstLength + i * kRecord + (four ? 0U : 1U));
      if ((word & kLengthMask) == 0) return;
      packet(received_++, word & kLengthMask);
      if (four) continue;
      if (word >> 16U == 0) return;
      packet(received_++, word >> 16U);
    }
  }

  Wqe* ring_ = nullptr;
  std::uint32_t mask_ = 0, count_ = 0;
  std::uint32_t head_ = 0, received_ = 0;
  std::uint64_t id_ = 0;
  Doorbell doorbell_;
  CompletionReader reader_;
  std::uint64_t errors_ = 0;
};

// The receive queues of a port. Must be created after the send queues: some kernels require a QP
// for sending first.
class ReceiveQueues {
 public:
  // `count` is a power of two.
  static Result<ReceiveQueues> make(const Context& context,
                                    std::uint32_t count,
                                    std::uint32_t entries);

  std::vector<ReceiveRing>& rings() { return rings_; }

 private:
  ReceiveQueues(Owned<ibv_rwq_ind_table> table, Owned<ibv_qp> qp)
      : table_(std::move(table)), qp_(std::move(qp)) {}

  Result<> make_queues(const Context& context, std::uint32_t count, std::uint32_t entries);
  Result<> make_qp(const Context& context);
  Result<> open_rings(const Context& context);

  // Destroyed in reverse order: the QP first, the CQs last.
  std::vector<Owned<ibv_cq>> cqs_;
  std::vector<Owned<ibv_wq>> wqs_;
  Owned<ibv_rwq_ind_table> table_;
  Owned<ibv_qp> qp_;
  std::vector<ReceiveRing> rings_;
};

}  // namespace manactl::datapath::verbs
