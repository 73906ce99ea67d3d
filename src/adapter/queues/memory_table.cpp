// SPDX-License-Identifier: MIT

#include "adapter/queues/memory_table.h"

#include <new>

namespace manactl::adapter {

MemoryTable::MemoryTable() : slots_(static_cast<Slot*>(std::calloc(kRegions, sizeof(Slot)))) {
  if (!slots_) throw std::bad_alloc();
}

Result<std::uint32_t> MemoryTable::add(std::uint64_t address, std::uint64_t length) {
  if (length == 0) return fail(Errc::invalid, "a memory region is empty");
  if (address + length < address)
    return fail(Errc::invalid, "a memory region wraps around the end of the address space");
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    if (used_ == kRegions) {
      return fail(Errc::busy, fmt::format("all {} memory regions are in use", kRegions));
    }
    free_.push_back(kRegions + used_++);
  }
  const auto key = free_.back();
  free_.pop_back();
  auto& slot = slots_[key % kRegions];
  std::atomic_ref(slot.address).store(address, std::memory_order_release);
  std::atomic_ref(slot.length).store(length, std::memory_order_release);
  std::atomic_ref(slot.key).store(key, std::memory_order_release);
  return key;
}

bool MemoryTable::remove(std::uint32_t key) {
  const std::scoped_lock lock(mutex_);
  const std::atomic_ref live(slots_[key % kRegions].key);
  if (key == 0 || live.load(std::memory_order_relaxed) != key) return false;
  live.store(0, std::memory_order_relaxed);
  const auto next = key + kRegions;
  free_.push_back(next < kRegions ? next + kRegions : next);  // skips generation 0
  return true;
}

std::size_t MemoryTable::size() const {
  const std::scoped_lock lock(mutex_);
  return used_ - free_.size();
}

}  // namespace manactl::adapter
