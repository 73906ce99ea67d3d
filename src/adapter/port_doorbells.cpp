// SPDX-License-Identifier: MIT
//
// Doorbells of a port: which queue is meant, in the long form and in the short one, and what a
// planned fault does to them.

#include "adapter/inside.h"
#include "adapter/port.h"

namespace manactl::adapter {
namespace {

using wire::DoorbellTarget;

constexpr std::uint32_t kIdMask = 0xffffff;
constexpr std::uint64_t kReserved = std::uint64_t{0xff} << 24U;  // of SQ and CQ doorbells

// Short doorbells: 32 bits, of which the low half adds to the tail.
constexpr std::uint64_t kShortReserved = std::uint64_t{0xf} << 28U;
constexpr std::uint64_t kShortArm = std::uint64_t{1} << 31U;

std::uint32_t short_id_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 16U) & 0xfffU;
}

std::uint32_t increment_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(value) & 0xffffU;
}

std::uint32_t tail_of(std::uint64_t value) {
  return static_cast<std::uint32_t>(value >> 32U);
}

}  // namespace

void Port::ring(std::uint32_t offset, std::uint64_t value) {
  const Inside inside;
  const auto target = wire::doorbell_target(offset);
  if (target == DoorbellTarget::sq) return ring_sq(value);
  if (target == DoorbellTarget::rq || target == DoorbellTarget::rq_client) return ring_rq(value);
  if (target == DoorbellTarget::cq) return ring_cq(value);
  if (target == DoorbellTarget::sq_short) return ring_sq_short(value);
  if (target == DoorbellTarget::rq_short) return ring_rq_short(value);
  if (target == DoorbellTarget::cq_short) return ring_cq_short(value);
  context_.checker.note(Violation::doorbell_offset, [&] {
    return fmt::format("{:#x} stored at {:#x} of the doorbell page", value, offset);
  });
}

void Port::ring_seen(std::uint32_t offset, std::uint64_t value) {
  const auto target = wire::doorbell_target(offset);
  const bool adds_up = target == DoorbellTarget::sq_short || target == DoorbellTarget::rq_short ||
                       target == DoorbellTarget::cq_short;
  if (!adds_up) return ring(offset, value);
  context_.checker.note(Violation::doorbell_offset, [&] {
    return fmt::format(
        "{} doorbell {:#x} in a page that is looked at: these want to be trapped or called",
        wire::name_of(*target),
        value);
  });
}

void Port::unknown(std::string_view what, std::uint64_t value) {
  context_.checker.note(Violation::doorbell_id, [&] {
    return fmt::format("{} doorbell {:#x}: no such queue", what, value);
  });
}

void Port::reserved(std::string_view what, std::uint64_t value, std::uint64_t bits) {
  if ((value & bits) == 0) return;
  context_.checker.note(Violation::doorbell_reserved,
                        [&] { return fmt::format("{} doorbell {:#x}", what, value); });
}

bool Port::held_back(DoorbellTarget target, std::uint64_t value) {
  auto& faults = context_.faults;
  if (faults.lost_doorbell.strikes()) return true;
  if (!faults.late_doorbell.strikes()) return false;
  late_.add({context_.clock.now() + faults.late_ns, static_cast<std::uint32_t>(target), value});
  return true;
}

// A queue may be gone meanwhile, or further than that: both is the fault's doing.
std::size_t Port::ring_late() {
  std::size_t done = 0;
  while (const auto late = late_.take(context_.clock.now())) {
    ++done;
    const bool is_short = late->offset == static_cast<std::uint32_t>(DoorbellTarget::sq_short);
    const auto id =
        is_short ? short_id_of(late->value) : static_cast<std::uint32_t>(late->value) & kIdMask;
    auto& sender = senders_[slot_of(id)];
    const auto live = sender.id.load(std::memory_order_acquire);
    if (live == 0 || (is_short ? short_id(live) : live) != id) continue;
    if (is_short) {
      sender.doorbell.fetch_add(std::uint64_t{increment_of(late->value)} << 32U);
    } else {
      const auto now = sender.doorbell.load(std::memory_order_acquire);
      if (static_cast<std::int32_t>(tail_of(late->value) - tail_of(now)) <= 0) continue;
      sender.doorbell.store(late->value, std::memory_order_release);
    }
    work_on(slot_of(id));
  }
  return done;
}

void Port::ring_sq(std::uint64_t value) {
  add(context_.counters.tx_doorbells, 1);
  const auto id = static_cast<std::uint32_t>(value) & kIdMask;
  const auto slot = slot_of(id);
  reserved("SQ", value, kReserved);
  value &= ~kReserved;
  if (slot >= kQueuesPerPort || senders_[slot].id.load(std::memory_order_acquire) != id) {
    return unknown("SQ", value);
  }
  if (held_back(DoorbellTarget::sq, value)) return;
  senders_[slot].doorbell.store(value, std::memory_order_release);
  work_on(slot);
  if (context_.faults.double_doorbell.strikes()) work_on(slot);
}

void Port::ring_sq_short(std::uint64_t value) {
  add(context_.counters.tx_doorbells, 1);
  const auto id = short_id_of(value);
  const auto slot = slot_of(id);
  reserved("short SQ", value, kShortReserved);
  const auto live = slot < kQueuesPerPort ? senders_[slot].id.load(std::memory_order_acquire) : 0;
  if (live == 0 || short_id(live) != id) return unknown("short SQ", value);
  if (held_back(DoorbellTarget::sq_short, value)) return;
  // The tail is the upper half: what overflows goes nowhere.
  senders_[slot].doorbell.fetch_add(std::uint64_t{increment_of(value)} << 32U,
                                    std::memory_order_acq_rel);
  work_on(slot);
}

// With the engine that works inside doorbells, buffers are filled as they come.
void Port::posted(std::size_t units) {
  if (engine_ == Engine::direct) cable_.arrive(units);
}

// The count of WQEs is to be 0, but older drivers write it.
void Port::ring_rq(std::uint64_t value) {
  add(context_.counters.rx_doorbells, 1);
  const auto units =
      receiver_.announce(static_cast<std::uint32_t>(value) & kIdMask, tail_of(value));
  if (!units) return unknown("RQ", value);
  posted(*units);
}

void Port::ring_rq_short(std::uint64_t value) {
  add(context_.counters.rx_doorbells, 1);
  reserved("short RQ", value, kShortReserved);
  const auto units = receiver_.announce_more(short_id_of(value), increment_of(value));
  if (!units) return unknown("short RQ", value);
  posted(*units);
}

void Port::ring_cq(std::uint64_t value) {
  const auto id = static_cast<std::uint32_t>(value) & kIdMask;
  const auto head = tail_of(value) & 0x7fffffffU;
  reserved("CQ", value, kReserved);
  if (value >> 63U == 0) return;  // the device does not need to know how far the driver has read
  if (kind_of(id) == QueueKind::rq_cq) {
    if (!receiver_.arm(id, head)) unknown("CQ", value);
    return;
  }
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return unknown("CQ", value);
  const std::scoped_lock lock(senders_[slot].mutex);
  auto* queue = senders_[slot].queue.get();
  if (queue == nullptr || queue->ids().cq != id) return unknown("CQ", value);
  queue->arm(head);
}

// Here it does: the next one counts from there.
void Port::ring_cq_short(std::uint64_t value) {
  const auto id = short_id_of(value);
  const bool wanted = (value & kShortArm) != 0;
  reserved("short CQ", value, kShortReserved & ~kShortArm);
  if (kind_of(id) == QueueKind::rq_cq) {
    if (!receiver_.arm_after(id, increment_of(value), wanted)) unknown("short CQ", value);
    return;
  }
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return unknown("short CQ", value);
  const std::scoped_lock lock(senders_[slot].mutex);
  auto* queue = senders_[slot].queue.get();
  if (queue == nullptr || short_id(queue->ids().cq) != id) return unknown("short CQ", value);
  queue->arm_after(increment_of(value), wanted);
}

}  // namespace manactl::adapter
