// SPDX-License-Identifier: MIT

#include "adapter/port.h"

#include <algorithm>
#include <bit>

#include "wire/doorbell.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kIdMask = 0xffffff;
constexpr std::uint32_t kMaxGeneration = 0x3fff;
constexpr std::uint64_t kReserved = std::uint64_t{0xff} << 24U;  // of SQ and CQ doorbells

Result<> sound(const QueueSetup& setup) {
  if (!std::has_single_bit(setup.ring_bytes) || setup.ring_bytes % 4096 != 0) {
    return fail(Errc::invalid,
                fmt::format("a ring of {} bytes: a power of two of whole pages is needed",
                            setup.ring_bytes));
  }
  if (setup.ring == nullptr || setup.cq == nullptr)
    return fail(Errc::invalid, "a queue without memory");
  if (setup.cq_entries == 0) return fail(Errc::invalid, "a CQ without entries");
  return {};
}

}  // namespace

Port::Port(const PortContext& context, Engine engine, std::atomic<std::uint32_t>& generations)
    : context_(context), engine_(engine), generations_(generations), receiver_(context) {}

Result<std::uint32_t> Port::free_slot(Direction direction) {
  for (std::uint32_t slot = 0; slot < kQueuesPerPort; ++slot) {
    const bool used =
        direction == Direction::send ? senders_[slot].id.load() != 0 : receive_slots_[slot];
    if (!used) return slot;
  }
  return fail(Errc::busy, fmt::format("all {} queues of the port are in use", kQueuesPerPort));
}

Result<QueueIds> Port::create(Direction direction, const QueueSetup& setup) {
  if (const auto good = sound(setup); !good) return tl::unexpected<Error>(good.error());
  const std::span cq(setup.cq, std::size_t{setup.cq_entries} * wire::kCqeBytes);
  if (std::ranges::any_of(cq, [](std::uint8_t byte) { return byte != 0; })) {
    context_.checker.note(Violation::cq_not_zero, [&] {
      return fmt::format("memory of a CQ of {} entries", setup.cq_entries);
    });
  }
  const std::scoped_lock lock(slots_mutex_);
  const auto slot = free_slot(direction);
  if (!slot) return tl::unexpected<Error>(slot.error());
  const auto generation = generations_.fetch_add(1) % kMaxGeneration + 1;
  if (direction == Direction::receive) {
    const QueueIds ids{queue_id(generation, QueueKind::rq, *slot),
                       queue_id(generation, QueueKind::rq_cq, *slot)};
    receiver_.add_queue(setup, ids);
    receive_slots_[*slot] = true;
    return ids;
  }
  const QueueIds ids{queue_id(generation, QueueKind::sq, *slot),
                     queue_id(generation, QueueKind::sq_cq, *slot)};
  auto& sender = senders_[*slot];
  const std::scoped_lock queue_lock(sender.mutex);
  sender.queue = std::make_unique<SendQueue>(setup, ids, context_);
  sender.doorbell.store(ids.wq);
  sender.id.store(ids.wq);
  return ids;
}

bool Port::remove(std::uint32_t id) {
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return false;
  const std::scoped_lock lock(slots_mutex_);
  if (kind_of(id) == QueueKind::rq) {
    const bool there = receiver_.remove_queue(id);
    if (there) receive_slots_[slot] = false;
    return there;
  }
  auto& sender = senders_[slot];
  const std::scoped_lock queue_lock(sender.mutex);
  if (sender.id.load() != id) return false;
  sender.id.store(0);
  sender.queue.reset();
  return true;
}

void Port::ring(std::uint32_t offset, std::uint64_t value) {
  const auto target = wire::doorbell_target(offset);
  if (target == wire::DoorbellTarget::sq) return ring_sq(value);
  if (target == wire::DoorbellTarget::rq || target == wire::DoorbellTarget::rq_client) {
    return ring_rq(value);
  }
  if (target == wire::DoorbellTarget::cq) return ring_cq(value);
  context_.checker.note(Violation::doorbell_offset, [&] {
    return fmt::format("{:#x} stored at {:#x} of the doorbell page", value, offset);
  });
}

void Port::unknown(std::string_view what, std::uint64_t value) {
  context_.checker.note(Violation::doorbell_id, [&] {
    return fmt::format("{} doorbell {:#x}: no such queue", what, value);
  });
}

void Port::ring_sq(std::uint64_t value) {
  add(context_.counters.tx_doorbells, 1);
  const auto id = static_cast<std::uint32_t>(value) & kIdMask;
  const auto slot = slot_of(id);
  if ((value & kReserved) != 0) {
    context_.checker.note(Violation::doorbell_reserved,
                          [&] { return fmt::format("SQ doorbell {:#x}", value); });
  }
  if (slot >= kQueuesPerPort || senders_[slot].id.load(std::memory_order_acquire) != id) {
    return unknown("SQ", value);
  }
  if (context_.faults.lost_doorbell.strikes()) return;
  senders_[slot].doorbell.store(value & ~kReserved, std::memory_order_release);
  if (engine_ == Engine::direct) {
    drain(senders_[slot]);
  } else {
    rung_.fetch_or(std::uint64_t{1} << slot, std::memory_order_release);
  }
}

// The count of WQEs is to be 0, but older drivers write it.
void Port::ring_rq(std::uint64_t value) {
  add(context_.counters.rx_doorbells, 1);
  const auto id = static_cast<std::uint32_t>(value) & kIdMask;
  const auto posted = receiver_.announce(id, static_cast<std::uint32_t>(value >> 32U));
  if (!posted) return unknown("RQ", value);
  if (engine_ == Engine::direct && backend_) backend_->poll(*posted);
}

void Port::ring_cq(std::uint64_t value) {
  const auto id = static_cast<std::uint32_t>(value) & kIdMask;
  if ((value & kReserved) != 0) {
    context_.checker.note(Violation::doorbell_reserved,
                          [&] { return fmt::format("CQ doorbell {:#x}", value); });
  }
  const auto head = static_cast<std::uint32_t>(value >> 32U) & 0x7fffffffU;
  if (value >> 63U == 0) return;  // the device does not need to know how far the driver has read
  const bool there = kind_of(id) == QueueKind::rq_cq ? receiver_.arm(id, head) : arm_sq(id, head);
  if (!there) unknown("CQ", value);
}

bool Port::arm_sq(std::uint32_t cq_id, std::uint32_t head) {
  const auto slot = slot_of(cq_id);
  if (slot >= kQueuesPerPort) return false;
  const std::scoped_lock lock(senders_[slot].mutex);
  auto* queue = senders_[slot].queue.get();
  if (queue == nullptr || queue->ids().cq != cq_id) return false;
  queue->arm(head);
  return true;
}

std::size_t Port::drain(SendSlot& slot) {
  const std::scoped_lock lock(slot.mutex);
  const auto doorbell = slot.doorbell.load(std::memory_order_acquire);
  if (!slot.queue || (doorbell & kIdMask) != slot.queue->ids().wq || !backend_) return 0;
  return slot.queue->drain(static_cast<std::uint32_t>(doorbell >> 32U), *backend_);
}

std::size_t Port::run(std::size_t budget) {
  std::size_t done = 0;
  auto rung = rung_.exchange(0, std::memory_order_acquire);
  while (rung != 0) {
    done += drain(senders_[static_cast<std::size_t>(std::countr_zero(rung))]);
    rung &= rung - 1;
  }
  if (backend_) done += backend_->poll(std::min(budget, receiver_.room()));
  return done;
}

}  // namespace manactl::adapter
