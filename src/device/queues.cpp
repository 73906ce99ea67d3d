// SPDX-License-Identifier: MIT

#include "device/queues.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace manactl::device {
namespace {

std::uint32_t dword(std::span<const std::uint8_t, 4> bytes) {
  return static_cast<std::uint32_t>(wire::load(bytes, 0, 4));
}

}  // namespace

std::optional<std::uint32_t> Queues::add_eq(Region region,
                                            std::uint32_t bytes,
                                            std::uint32_t vector) {
  return eqs_.add(
      {Ring(*guest_, std::move(region), bytes), vector, bytes / wire::kEqeBytes, true, false});
}

std::optional<std::uint32_t> Queues::add_cq(Region region,
                                            std::uint32_t bytes,
                                            std::uint32_t eq_id) {
  return cqs_.add(
      {Ring(*guest_, std::move(region), bytes), eq_id, bytes / wire::kCqeBytes, true, false});
}

std::optional<std::uint32_t> Queues::add_wq(Region region,
                                            std::uint32_t bytes,
                                            bool is_sq,
                                            std::uint32_t cq_id) {
  return wqs_.add({Ring(*guest_, std::move(region), bytes), is_sq, cq_id, 0, 0, false});
}

void Queues::reset() {
  eqs_.clear();
  cqs_.clear();
  wqs_.clear();
}

void Queues::send_event(std::uint32_t eq_id,
                        wire::EventType type,
                        std::span<const std::uint8_t, wire::kEqeDataBytes> data) {
  auto* eq = eqs_.find(eq_id);
  if (eq == nullptr)
    return trace_->violation(fmt::format("event for EQ {}, which does not exist", eq_id));
  const auto wrong = hostile_->pick(kEventKinds, "event");
  const bool twice = wrong && wrong->kind == HostileKind::duplicate_event;
  if (!write(*eq, {type, 0, 0}, data, wrong) || (twice && !write(*eq, {type, 0, 0}, data, {}))) {
    return trace_->violation(fmt::format("EQ {} is not in RAM", eq_id));
  }
  if (eq->armed) interrupt(*eq);
}

bool Queues::write(EventQueue& eq,
                   wire::EqeInfo info,
                   std::span<const std::uint8_t, wire::kEqeDataBytes> data,
                   const std::optional<Misbehavior>& wrong) {
  info.owner = wire::owner_at(eq.head, eq.entries());
  if (wrong) corrupt(*wrong, info);
  const auto at = std::uint64_t{eq.head} * wire::kEqeBytes;
  const auto bytes = wire::encode(info);
  if (!bytes || !eq.ring.write(at, data) ||
      !eq.ring.publish(at + wire::kEqeDataBytes, dword(*bytes))) {
    return false;
  }
  ++eq.head;
  return true;
}

void Queues::interrupt(EventQueue& eq) {
  eq.waiting = !guest_->interrupt(eq.vector);
  eq.armed = eq.waiting;
}

bool Queues::retry_interrupts() {
  bool waiting = false;
  for (auto& [id, eq] : eqs_) {
    if (eq.waiting) interrupt(eq);
    waiting = waiting || eq.waiting;
  }
  return waiting;
}

void Queues::complete(std::uint32_t cq_id,
                      std::span<const std::uint8_t, wire::kCqeDataBytes> data,
                      std::uint32_t wq_id,
                      bool is_sq) {
  auto* cq = cqs_.find(cq_id);
  if (cq == nullptr)
    return trace_->violation(fmt::format("completion for CQ {}, which does not exist", cq_id));
  const auto wrong = hostile_->pick(kCompletionKinds, "completion");
  if (!write(*cq, {wq_id, is_sq, 0}, data, wrong)) {
    return trace_->violation(fmt::format("CQ {} is not in RAM", cq_id));
  }
  if (!wrong) return;
  if (wrong->kind == HostileKind::duplicate_completion) repeat(*cq, 1);
  if (wrong->kind == HostileKind::stale_completion) {
    repeat(*cq, 2 + static_cast<std::uint32_t>(wrong->random % 8));
  }
}

// A torn entry has new bytes at its start, and those of the previous entry at its end.
bool Queues::write(CompletionQueue& cq,
                   wire::CqeInfo info,
                   std::span<const std::uint8_t, wire::kCqeDataBytes> data,
                   const std::optional<Misbehavior>& wrong) {
  info.owner = wire::owner_at(cq.head, cq.entries());
  if (wrong) corrupt(*wrong, info);
  const bool torn = wrong && wrong->kind == HostileKind::torn_completion;
  const auto at = std::uint64_t{cq.head} * wire::kCqeBytes;
  const auto bytes = wire::encode(info);
  if (!bytes || !cq.ring.write(at, data.first(torn ? wrong->random % data.size() : data.size())) ||
      !cq.ring.publish(at + wire::kCqeDataBytes, dword(*bytes))) {
    return false;
  }
  ++cq.head;
  cq.has_new = true;
  return true;
}

void Queues::repeat(CompletionQueue& cq, std::uint32_t back) {
  std::array<std::uint8_t, wire::kCqeBytes> entry{};
  if (!cq.ring.read(std::uint64_t{cq.head - back} * wire::kCqeBytes, entry)) return;
  const std::span<const std::uint8_t, wire::kCqeBytes> bytes(entry);
  const auto info = wire::decode<wire::CqeInfo>(wire::Bytes(bytes.last<4>()));
  if (info) (void)write(cq, *info, bytes.first<wire::kCqeDataBytes>(), {});
}

void Queues::notify(std::uint32_t cq_id) {
  auto* cq = cqs_.find(cq_id);
  if (cq == nullptr || !cq->has_new || !cq->armed) return;
  cq->has_new = false;
  cq->armed = false;
  if (cq->eq_id == 0) return;
  send_hostile_completion_event(cq->eq_id);
  const auto data = wire::encode(wire::CompletionEvent{cq_id});
  if (data) send_event(cq->eq_id, wire::EventType::completion, *data);
}

// Uses the lowest unused ID, of a queue that was destroyed or never created.
void Queues::send_hostile_completion_event(std::uint32_t eq_id) {
  constexpr std::uint32_t kLargestId = 0xffffff;
  const auto wrong = hostile_->pick(kCompletionEventKinds, "completion event");
  if (!wrong) return;
  std::uint32_t id = 1;
  while (cqs_.find(id) != nullptr) ++id;
  if (wrong->kind == HostileKind::event_queue_id) {
    id = kMaxCqs + static_cast<std::uint32_t>(wrong->random % (kLargestId - kMaxCqs + 1));
  }
  const auto data = wire::encode(wire::CompletionEvent{id});
  if (data) send_event(eq_id, wire::EventType::completion, *data);
}

// Arming raises the interrupt at once if the consumer has unread entries.
void Queues::ring(const wire::EqDoorbell& doorbell) {
  auto* eq = eqs_.find(doorbell.id);
  if (eq == nullptr)
    return trace_->violation(fmt::format("doorbell for EQ {}, which does not exist", doorbell.id));
  if (!doorbell.arm) return;
  eq->armed = true;
  if (doorbell.tail != wire::doorbell_tail(eq->head, eq->entries())) interrupt(*eq);
}

void Queues::ring(const wire::CqDoorbell& doorbell) {
  auto* cq = cqs_.find(doorbell.id);
  if (cq == nullptr)
    return trace_->violation(fmt::format("doorbell for CQ {}, which does not exist", doorbell.id));
  if (!doorbell.arm) return;
  cq->armed = true;
  cq->has_new = doorbell.tail != wire::doorbell_tail(cq->head, cq->entries());
  notify(doorbell.id);
}

}  // namespace manactl::device
