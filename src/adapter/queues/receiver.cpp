// SPDX-License-Identifier: MIT

#include "adapter/queues/receiver.h"

#include <utility>

#include "adapter/reentry_guard.h"

namespace manactl::adapter {

ReceiveQueue* Receiver::find(std::uint32_t id) {
  const auto slot = slot_of(id);
  auto* queue = slot < kQueuesPerPort ? queues_[slot].get() : nullptr;
  return queue != nullptr && (queue->ids().wq == id || queue->ids().cq == id) ? queue : nullptr;
}

ReceiveQueue* Receiver::find_short(std::uint32_t id, bool cq) {
  const auto slot = slot_of(id);
  auto* queue = slot < kQueuesPerPort ? queues_[slot].get() : nullptr;
  if (queue == nullptr) return nullptr;
  return short_id(cq ? queue->ids().cq : queue->ids().wq) == id ? queue : nullptr;
}

void Receiver::add_queue(const QueueSetup& setup, const QueueIds& ids) {
  const std::scoped_lock lock(mutex_);
  queues_[slot_of(ids.wq)] = std::make_unique<ReceiveQueue>(setup, ids, port_);
}

bool Receiver::remove_queue(std::uint32_t id) {
  const std::scoped_lock lock(mutex_);
  if (find(id) == nullptr) return false;
  queues_[slot_of(id)].reset();
  return true;
}

void Receiver::set_rss(std::optional<Rss> rss) {
  const DeviceReentryGuard guard;
  const std::scoped_lock lock(mutex_);
  rss_ = std::move(rss);
}

void Receiver::deliver(std::span<const Frame> frames) {
  const std::scoped_lock lock(mutex_);
  for (const auto& frame : frames) {
    const auto packet = inspect(frame);
    const auto hash = rss_ ? rss_->hash(frame, packet) : Hash{};
    auto* queue = rss_ ? find(rss_->queue(hash.value)) : nullptr;
    const bool is_dropped = queue != nullptr && port_.faults.no_buffer.is_due();
    if (is_dropped) ++unused_;
    if (queue == nullptr || is_dropped || !queue->receive(frame, packet, hash)) {
      add(port_.counters.rx_no_buffer, 1);
    }
  }
  for (const auto& queue : queues_) {
    if (queue) queue->finish();
  }
}

std::optional<std::size_t> Receiver::announce(std::uint32_t id, std::uint32_t tail) {
  const std::scoped_lock lock(mutex_);
  auto* queue = find(id);
  if (queue == nullptr || queue->ids().wq != id) return std::nullopt;
  const auto before = queue->posted();
  queue->announce(tail);
  return (queue->posted() - before) / wire::kBasicUnit + std::exchange(unused_, 0);
}

std::optional<std::size_t> Receiver::announce_more(std::uint32_t id, std::uint32_t bytes) {
  const std::scoped_lock lock(mutex_);
  auto* queue = find_short(id, false);
  if (queue == nullptr) return std::nullopt;
  queue->announce_more(bytes);
  return bytes / wire::kBasicUnit + std::exchange(unused_, 0);
}

bool Receiver::arm_after(std::uint32_t id, std::uint32_t entries, bool arms) {
  const std::scoped_lock lock(mutex_);
  auto* queue = find_short(id, true);
  if (queue != nullptr) queue->arm_after(entries, arms);
  return queue != nullptr;
}

bool Receiver::arm(std::uint32_t cq_id, std::uint32_t head) {
  const std::scoped_lock lock(mutex_);
  auto* queue = find(cq_id);
  if (queue == nullptr || queue->ids().cq != cq_id) return false;
  queue->arm(head);
  return true;
}

void Receiver::halt() {
  const std::scoped_lock lock(mutex_);
  for (const auto& queue : queues_) {
    if (queue) queue->halt();
  }
}

void Receiver::halt_queues_in(const Extent& memory) {
  const std::scoped_lock lock(mutex_);
  for (const auto& queue : queues_) {
    if (queue && queue->uses(memory)) queue->halt();
  }
}

std::size_t Receiver::posted_units() {
  const std::scoped_lock lock(mutex_);
  std::size_t units = 0;
  for (const auto& queue : queues_) {
    if (queue) units += queue->posted() / wire::kBasicUnit;
  }
  return units;
}

}  // namespace manactl::adapter
