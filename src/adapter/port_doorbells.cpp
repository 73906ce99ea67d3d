// SPDX-License-Identifier: MIT
//
// Doorbells of a port in the long (64-bit) and the short (32-bit) form, and the faults of
// doorbells. Long: union gdma_doorbell_entry of Linux include/net/mana/gdma.h. Short:
// mana_ring_short_doorbell() of DPDK drivers/net/mana/gdma.c.

#include "adapter/port.h"
#include "adapter/reentry_guard.h"

namespace manactl::adapter {
namespace {

using wire::DoorbellTarget;

constexpr std::uint64_t kReserved = std::uint64_t{0xff} << 24U;  // in SQ and CQ doorbells

// A short doorbell has 32 bits; its lower 16 bits are added to the tail.
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

// Stores `value` unless the doorbell has the same or a higher tail; returns whether it was stored.
// The driver's thread may ring the doorbell at the same time.
bool advance(std::atomic<std::uint64_t>& doorbell, std::uint64_t value) {
  auto now = doorbell.load(std::memory_order_acquire);
  while (static_cast<std::int32_t>(tail_of(value) - tail_of(now)) > 0) {
    if (doorbell.compare_exchange_weak(now, value, std::memory_order_acq_rel)) return true;
  }
  return false;
}

}  // namespace

void Port::ring(std::uint32_t offset, std::uint64_t value) {
  const DeviceReentryGuard guard;
  const auto target = wire::doorbell_target(offset);
  if (target == DoorbellTarget::sq) return ring_sq(value);
  if (target == DoorbellTarget::rq || target == DoorbellTarget::rq_client) return ring_rq(value);
  if (target == DoorbellTarget::cq) return ring_cq(value);
  if (target == DoorbellTarget::sq_short) return ring_sq_short(value);
  if (target == DoorbellTarget::rq_short) return ring_rq_short(value);
  if (target == DoorbellTarget::cq_short) return ring_cq_short(value);
  context_.checker.note(Violation::doorbell_offset, [&] {
    return fmt::format("{:#x} stored at offset {:#x} of the doorbell page", value, offset);
  });
}

void Port::ring_polled(std::uint32_t offset, std::uint64_t value) {
  const auto target = wire::doorbell_target(offset);
  const bool is_short = target == DoorbellTarget::sq_short || target == DoorbellTarget::rq_short ||
                        target == DoorbellTarget::cq_short;
  if (!is_short) return ring(offset, value);
  context_.checker.note(Violation::doorbell_offset, [&] {
    return fmt::format(
        "{} doorbell {:#x} in a polled page, where short doorbells are not supported: use "
        "--doorbell trap or call",
        wire::name_of(*target),
        value);
  });
}

void Port::note_unknown(std::string_view what, std::uint64_t value) {
  context_.checker.note(Violation::doorbell_id, [&] {
    return fmt::format("{} doorbell {:#x}: no such queue", what, value);
  });
}

void Port::check_reserved(std::string_view what, std::uint64_t value, std::uint64_t bits) {
  if ((value & bits) == 0) return;
  context_.checker.note(Violation::doorbell_reserved,
                        [&] { return fmt::format("{} doorbell {:#x}", what, value); });
}

bool Port::withhold(DoorbellTarget target, std::uint64_t value) {
  auto& faults = context_.faults;
  if (faults.lost_doorbell.is_due()) return true;
  if (!faults.delayed_doorbell.is_due()) return false;
  delayed_.add({context_.clock.now() + faults.delay_ns, static_cast<std::uint32_t>(target), value});
  return true;
}

// Rings the delayed doorbells that are due. Ignores a doorbell if its queue was removed or if a
// later doorbell has announced a higher tail.
std::size_t Port::ring_delayed() {
  std::size_t done = 0;
  while (const auto delayed = delayed_.take(context_.clock.now())) {
    ++done;
    const bool is_short = delayed->offset == static_cast<std::uint32_t>(DoorbellTarget::sq_short);
    const auto id = is_short ? short_id_of(delayed->value)
                             : static_cast<std::uint32_t>(delayed->value) & wire::kQueueIdMask;
    auto& sender = senders_[slot_of(id)];
    const auto current = sender.id.load(std::memory_order_acquire);
    if (current == 0 || (is_short ? short_id(current) : current) != id) continue;
    if (is_short) {
      sender.doorbell.fetch_add(std::uint64_t{increment_of(delayed->value)} << 32U);
    } else {
      if (!advance(sender.doorbell, delayed->value)) continue;
    }
    run_sender(slot_of(id));
  }
  return done;
}

void Port::ring_sq(std::uint64_t value) {
  add(context_.counters.tx_doorbells, 1);
  const auto id = static_cast<std::uint32_t>(value) & wire::kQueueIdMask;
  const auto slot = slot_of(id);
  check_reserved("SQ", value, kReserved);
  value &= ~kReserved;
  if (slot >= kQueuesPerPort || senders_[slot].id.load(std::memory_order_acquire) != id) {
    return note_unknown("SQ", value);
  }
  if (withhold(DoorbellTarget::sq, value)) return;
  senders_[slot].doorbell.store(value, std::memory_order_release);
  run_sender(slot);
  if (context_.faults.duplicated_doorbell.is_due()) run_sender(slot);
}

void Port::ring_sq_short(std::uint64_t value) {
  add(context_.counters.tx_doorbells, 1);
  const auto id = short_id_of(value);
  const auto slot = slot_of(id);
  check_reserved("short SQ", value, kShortReserved);
  const auto current =
      slot < kQueuesPerPort ? senders_[slot].id.load(std::memory_order_acquire) : 0;
  if (current == 0 || short_id(current) != id) return note_unknown("short SQ", value);
  if (withhold(DoorbellTarget::sq_short, value)) return;
  // The tail is in the upper half, so that an overflow does not change the ID in the lower half.
  senders_[slot].doorbell.fetch_add(std::uint64_t{increment_of(value)} << 32U,
                                    std::memory_order_acq_rel);
  run_sender(slot);
}

// With Threading::direct, the doorbell that posts buffers also delivers frames into them.
void Port::receive_posted(std::size_t frames) {
  if (threading_ == Threading::direct) link_.arrive(frames);
}

// Does not check the WQE count of the doorbell: it should be 0, but older DPDK releases set it.
void Port::ring_rq(std::uint64_t value) {
  add(context_.counters.rx_doorbells, 1);
  const auto frames =
      receiver_.announce(static_cast<std::uint32_t>(value) & wire::kQueueIdMask, tail_of(value));
  if (!frames) return note_unknown("RQ", value);
  receive_posted(*frames);
}

void Port::ring_rq_short(std::uint64_t value) {
  add(context_.counters.rx_doorbells, 1);
  check_reserved("short RQ", value, kShortReserved);
  const auto frames = receiver_.announce_more(short_id_of(value), increment_of(value));
  if (!frames) return note_unknown("short RQ", value);
  receive_posted(*frames);
}

void Port::ring_cq(std::uint64_t value) {
  const auto id = static_cast<std::uint32_t>(value) & wire::kQueueIdMask;
  const auto head = tail_of(value) & 0x7fffffffU;
  check_reserved("CQ", value, kReserved);
  if (value >> 63U == 0) return;  // does not arm the CQ: the device ignores the head
  if (kind_of(id) == QueueKind::rq_cq) {
    if (!receiver_.arm(id, head)) note_unknown("CQ", value);
    return;
  }
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return note_unknown("CQ", value);
  const std::scoped_lock lock(senders_[slot].mutex);
  auto* queue = senders_[slot].queue.get();
  if (queue == nullptr || queue->ids().cq != id) return note_unknown("CQ", value);
  queue->arm(head);
}

// Unlike a long CQ doorbell, a short one is handled even if it does not arm the CQ: the increments
// of all short doorbells add up to the head.
void Port::ring_cq_short(std::uint64_t value) {
  const auto id = short_id_of(value);
  const bool arms = (value & kShortArm) != 0;
  check_reserved("short CQ", value, kShortReserved & ~kShortArm);
  if (kind_of(id) == QueueKind::rq_cq) {
    if (!receiver_.arm_after(id, increment_of(value), arms)) note_unknown("short CQ", value);
    return;
  }
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return note_unknown("short CQ", value);
  const std::scoped_lock lock(senders_[slot].mutex);
  auto* queue = senders_[slot].queue.get();
  if (queue == nullptr || short_id(queue->ids().cq) != id) return note_unknown("short CQ", value);
  queue->arm_after(increment_of(value), arms);
}

}  // namespace manactl::adapter
