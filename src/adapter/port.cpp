// SPDX-License-Identifier: MIT

#include "adapter/port.h"

#include <algorithm>
#include <bit>

#include "adapter/reentry_guard.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kMaxGeneration = 0x3fff;

Result<> check_setup(const QueueSetup& setup) {
  if (!std::has_single_bit(setup.ring_bytes) || setup.ring_bytes % 4096 != 0) {
    return fail(Errc::invalid,
                fmt::format("a ring has {} bytes, which is not a power of two of at least 4096",
                            setup.ring_bytes));
  }
  if (setup.ring == nullptr || setup.cq == nullptr)
    return fail(Errc::invalid, "a queue has no memory");
  if (setup.cq_entries == 0) return fail(Errc::invalid, "a CQ has no entries");
  return {};
}

}  // namespace

Port::Port(const PortContext& context,
           const LinkModel& link,
           Threading threading,
           std::atomic<std::uint32_t>& generations)
    : context_(context),
      threading_(threading),
      generations_(generations),
      receiver_(context),
      link_(link, context.clock, context.counters.tx_lost) {}

Result<std::uint32_t> Port::free_slot(Direction direction) {
  for (std::uint32_t slot = 0; slot < kQueuesPerPort; ++slot) {
    const bool used =
        direction == Direction::send ? senders_[slot].id.load() != 0 : receive_slots_[slot];
    if (!used) return slot;
  }
  return fail(Errc::busy, fmt::format("all {} queues of the port are in use", kQueuesPerPort));
}

Result<QueueIds> Port::create(Direction direction, const QueueSetup& setup) {
  const DeviceReentryGuard guard;
  if (const auto good = check_setup(setup); !good) return tl::unexpected<Error>(good.error());
  const std::span cq(setup.cq, std::size_t{setup.cq_entries} * wire::kCqeBytes);
  if (std::ranges::any_of(cq, [](std::uint8_t byte) { return byte != 0; })) {
    context_.checker.note(Violation::cq_not_zero, [&] {
      return fmt::format("the memory of a CQ of {} entries", setup.cq_entries);
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
  const DeviceReentryGuard guard;
  const auto slot = slot_of(id);
  if (slot >= kQueuesPerPort) return false;
  const std::scoped_lock lock(slots_mutex_);
  if (kind_of(id) == QueueKind::rq) {
    const bool found = receiver_.remove_queue(id);
    if (found) receive_slots_[slot] = false;
    return found;
  }
  auto& sender = senders_[slot];
  const std::scoped_lock queue_lock(sender.mutex);
  if (sender.id.load() != id) return false;
  sender.id.store(0);
  sender.queue.reset();
  return true;
}

std::optional<std::uint64_t> Port::next() {
  const auto next = earlier_of(delayed_.next(), link_.next());
  const std::scoped_lock lock(pace_mutex_);
  return waiting_ == 0 ? next : earlier_of(next, link_.egress().free_at());
}

void Port::halt() {
  for (auto& sender : senders_) {
    const std::scoped_lock lock(sender.mutex);
    if (sender.queue) sender.queue->halt();
  }
  receiver_.halt();
}

void Port::halt_queues_in(const Extent& memory) {
  if (DeviceReentryGuard::is_active()) return;
  for (auto& sender : senders_) {
    const std::scoped_lock lock(sender.mutex);
    if (sender.queue && sender.queue->uses(memory)) sender.queue->halt();
  }
  receiver_.halt_queues_in(memory);
}

SendQueue::Drained Port::drain(SendSlot& slot, std::size_t max_wqes) {
  const std::scoped_lock lock(slot.mutex);
  const auto doorbell = slot.doorbell.load(std::memory_order_acquire);
  auto* far_end = link_.entrance();
  if (!slot.queue || (doorbell & wire::kQueueIdMask) != slot.queue->ids().wq || far_end == nullptr)
    return {};
  return slot.queue->drain(static_cast<std::uint32_t>(doorbell >> 32U), *far_end, max_wqes);
}

// Round robin over the send queues: each sends one WQE per turn.
std::size_t Port::send_paced() {
  const std::scoped_lock lock(pace_mutex_);
  waiting_ |= rung_.exchange(0, std::memory_order_acquire);
  auto& pacer = link_.egress();
  std::size_t done = 0;
  while (waiting_ != 0) {
    const auto now = context_.clock.now();
    if (!pacer.ready(now)) return done;
    const auto distance = std::countr_zero(std::rotr(waiting_, static_cast<int>(turn_)));
    const auto slot = (turn_ + static_cast<unsigned>(distance)) % kQueuesPerPort;
    const auto sent = drain(senders_[slot], 1);
    if (sent.wqes == 0) waiting_ &= ~(std::uint64_t{1} << slot);
    if (sent.wqes != 0) pacer.charge(now, sent.bytes);
    done += sent.wqes;
    turn_ = (slot + 1) % kQueuesPerPort;
  }
  pacer.idle();
  return done;
}

void Port::run_sender(std::size_t slot) {
  if (threading_ == Threading::direct && !link_.paced()) {
    drain(senders_[slot]);
    return;
  }
  rung_.fetch_or(std::uint64_t{1} << slot, std::memory_order_release);
  if (threading_ == Threading::direct) send_paced();
}

std::size_t Port::run(std::size_t budget) {
  const DeviceReentryGuard guard;
  std::size_t done = delayed_.any() ? ring_delayed() : 0;
  if (link_.paced()) {
    done += send_paced();
  } else {
    auto rung = rung_.exchange(0, std::memory_order_acquire);
    while (rung != 0) {
      done += drain(senders_[static_cast<std::size_t>(std::countr_zero(rung))]).wqes;
      rung &= rung - 1;
    }
  }
  done += link_.deliver();
  return done + link_.arrive(std::min(budget, receiver_.posted_units()));
}

}  // namespace manactl::adapter
