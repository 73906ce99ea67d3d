// SPDX-License-Identifier: MIT

#include "adapter/port.h"

#include <algorithm>
#include <bit>

#include "adapter/inside.h"

namespace manactl::adapter {
namespace {

constexpr std::uint32_t kIdMask = 0xffffff;
constexpr std::uint32_t kMaxGeneration = 0x3fff;

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

Port::Port(const PortContext& context,
           const LinkModel& link,
           Engine engine,
           std::atomic<std::uint32_t>& generations)
    : context_(context),
      engine_(engine),
      generations_(generations),
      receiver_(context),
      cable_(link, context.clock, context.counters.tx_lost) {}

Result<std::uint32_t> Port::free_slot(Direction direction) {
  for (std::uint32_t slot = 0; slot < kQueuesPerPort; ++slot) {
    const bool used =
        direction == Direction::send ? senders_[slot].id.load() != 0 : receive_slots_[slot];
    if (!used) return slot;
  }
  return fail(Errc::busy, fmt::format("all {} queues of the port are in use", kQueuesPerPort));
}

Result<QueueIds> Port::create(Direction direction, const QueueSetup& setup) {
  const Inside inside;
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
  const Inside inside;
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

std::optional<std::uint64_t> Port::next() {
  auto when = soonest(late_.next(), cable_.next());
  const std::scoped_lock lock(pace_mutex_);
  return waiting_ == 0 ? when : soonest(when, cable_.egress().free_at());
}

void Port::halt() {
  for (auto& sender : senders_) {
    const std::scoped_lock lock(sender.mutex);
    if (sender.queue) sender.queue->halt();
  }
  receiver_.halt();
}

void Port::lose(const Extent& memory) {
  if (Inside::anywhere()) return;
  for (auto& sender : senders_) {
    const std::scoped_lock lock(sender.mutex);
    if (sender.queue && sender.queue->uses(memory)) sender.queue->halt();
  }
  receiver_.lose(memory);
}

SendQueue::Drained Port::drain(SendSlot& slot, std::size_t most) {
  const std::scoped_lock lock(slot.mutex);
  const auto doorbell = slot.doorbell.load(std::memory_order_acquire);
  auto* far_end = cable_.entrance();
  if (!slot.queue || (doorbell & kIdMask) != slot.queue->ids().wq || far_end == nullptr) return {};
  return slot.queue->drain(static_cast<std::uint32_t>(doorbell >> 32U), *far_end, most);
}

// The senders take turns, a frame each.
std::size_t Port::send_paced() {
  const std::scoped_lock lock(pace_mutex_);
  waiting_ |= rung_.exchange(0, std::memory_order_acquire);
  auto& pacer = cable_.egress();
  std::size_t done = 0;
  while (waiting_ != 0) {
    const auto now = context_.clock.now();
    if (!pacer.ready(now)) return done;
    const auto ahead = std::countr_zero(std::rotr(waiting_, static_cast<int>(turn_)));
    const auto slot = (turn_ + static_cast<unsigned>(ahead)) % kQueuesPerPort;
    const auto sent = drain(senders_[slot], 1);
    if (sent.wqes == 0) waiting_ &= ~(std::uint64_t{1} << slot);
    if (sent.wqes != 0) pacer.charge(now, sent.bytes);
    done += sent.wqes;
    turn_ = (slot + 1) % kQueuesPerPort;
  }
  pacer.idle();
  return done;
}

void Port::work_on(std::size_t slot) {
  if (engine_ == Engine::direct && !cable_.paced()) {
    drain(senders_[slot]);
    return;
  }
  rung_.fetch_or(std::uint64_t{1} << slot, std::memory_order_release);
  if (engine_ == Engine::direct) send_paced();
}

std::size_t Port::run(std::size_t budget) {
  const Inside inside;
  std::size_t done = late_.any() ? ring_late() : 0;
  if (cable_.paced()) {
    done += send_paced();
  } else {
    auto rung = rung_.exchange(0, std::memory_order_acquire);
    while (rung != 0) {
      done += drain(senders_[static_cast<std::size_t>(std::countr_zero(rung))]).wqes;
      rung &= rung - 1;
    }
  }
  done += cable_.deliver();
  return done + cable_.arrive(std::min(budget, receiver_.room()));
}

}  // namespace manactl::adapter
