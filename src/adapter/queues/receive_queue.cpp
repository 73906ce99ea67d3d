// SPDX-License-Identifier: MIT

#include "adapter/queues/receive_queue.h"

#include <algorithm>
#include <utility>

#include "adapter/net/received.h"

namespace manactl::adapter {
ReceiveQueue::ReceiveQueue(const QueueSetup& setup, const QueueIds& ids, const PortContext& port)
    : port_(port),
      ids_(ids),
      ring_(setup.ring, setup.ring_bytes, ids.wq, kReceiveLimits),
      cq_(setup.cq, setup.cq_entries, ids.cq),
      on_event_(setup.on_event) {}

void ReceiveQueue::arm(std::uint32_t head) {
  if (halted_ || !cq_.arm(head) || !on_event_) return;
  add(port_.counters.events, 1);
  on_event_();
}

void ReceiveQueue::arm_after(std::uint32_t entries, bool arms) {
  const auto head = cq_.advance(entries);
  if (arms) arm(head);
}

void ReceiveQueue::finish() {
  flush();
  if (!cq_.take_event() || !on_event_) return;
  add(port_.counters.events, 1);
  on_event_();
}

std::size_t ReceiveQueue::scatter(const TakenWqe& wqe, Frame frame) const {
  std::size_t done = 0;
  for (std::uint32_t i = 0; i < wqe.sges && done < frame.size(); ++i) {
    const auto sge = ring_.sge(wqe, i);
    const auto piece = std::min<std::size_t>(sge.size, frame.size() - done);
    std::memcpy(memory_at(sge.address), frame.data() + done, piece);
    done += piece;
  }
  return done;
}

bool ReceiveQueue::receive(Frame frame, const Packet& packet, const Hash& hash) {
  if (halted_) return false;
  const auto wqe = ring_.take(port_.checker);
  if (!wqe) return false;
  bool valid = true;
  for (std::uint32_t i = 0; i < wqe->sges; ++i) {
    valid = ring_.check(ring_.sge(*wqe, i), port_.memory, port_.checker) && valid;
  }
  if (!valid) return false;  // the buffer is consumed without a completion
  auto completion = completion_of(frame, packet, hash);
  // MANA always strips the tag: NETIF_F_HW_VLAN_CTAG_RX cannot be turned off in Linux.
  if (packet.vlan_id) {
    untagged_ = without_tag(frame);
    frame = untagged_;
  }
  const auto done = scatter(*wqe, frame);
  const bool complete_frame = done == frame.size() && !port_.faults.truncate.is_due();
  completion.header.type = complete_frame ? wire::CqeType::rx_okay : wire::CqeType::rx_truncated;
  completion.packets[0].length = static_cast<std::uint16_t>(done);
  completion.wqe_offset = wqe->offset;
  add(port_.counters.rx_packets, 1);
  add(port_.counters.rx_bytes, done);
  if (!complete_frame) add(port_.counters.rx_truncated, 1);
  complete(completion);
  return true;
}

template <class T>
void ReceiveQueue::push(const T& completion) {
  const auto data = wire::encode(completion);
  if (!data) return;
  if (port_.faults.overrun.is_due()) cq_.overrun();
  cq_.push(*data, ids_.wq);
  add(port_.counters.rx_completions, 1);
}

// Merges packets into one completion if their completions would differ only in length and hash.
void ReceiveQueue::complete(const wire::RxCompletion& completion) {
  const wire::RxCommon& common = completion;
  if (pending_count_ != 0 && common != static_cast<const wire::RxCommon&>(shared_)) flush();
  if (port_.coalesce == 1 || completion.header.type != wire::CqeType::rx_okay) {
    return push(completion);
  }
  if (pending_count_ == 0) shared_ = completion;
  pending_[pending_count_++] = completion.packets[0];
  if (pending_count_ == port_.coalesce) flush();
}

void ReceiveQueue::flush() {
  const auto count = std::exchange(pending_count_, 0);
  if (count == 0) return;
  if (count == 1) return push(shared_);
  if (port_.coalesce <= wire::kRxRecords) {
    shared_.header.type = wire::CqeType::rx_coalesced_4;
    std::copy_n(pending_.begin(), count, shared_.packets.begin());
    return push(shared_);
  }
  wire::RxCompletion8 eight;
  const wire::RxCommon& common = shared_;
  static_cast<wire::RxCommon&>(eight) = common;
  eight.header.type = wire::CqeType::rx_coalesced_8;
  eight.wqe_offset = shared_.wqe_offset;
  for (std::size_t i = 0; i < count; ++i) {
    auto& pair = eight.pairs[i / 2];
    (i % 2 == 0 ? pair.length0 : pair.length1) = pending_[i].length;
    (i % 2 == 0 ? pair.hash0 : pair.hash1) = pending_[i].hash;
  }
  push(eight);
}

}  // namespace manactl::adapter
