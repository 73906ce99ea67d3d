// SPDX-License-Identifier: MIT

#include "adapter/memory.h"

namespace manactl::adapter {

MemoryTable::MemoryTable() : slots_(std::make_unique<Slot[]>(kRegions)) {
  free_.reserve(kRegions);
  for (std::uint32_t i = kRegions; i > 0; --i) free_.push_back(kRegions + i - 1);
}

Result<std::uint32_t> MemoryTable::add(std::uint64_t address, std::uint64_t length) {
  if (length == 0) return fail(Errc::invalid, "a memory region without bytes");
  if (address + length < address) return fail(Errc::invalid, "a memory region past all addresses");
  const std::scoped_lock lock(mutex_);
  if (free_.empty()) {
    return fail(Errc::busy, fmt::format("all {} memory regions are in use", kRegions));
  }
  const auto key = free_.back();
  free_.pop_back();
  auto& slot = slots_[key % kRegions];
  slot.address.store(address, std::memory_order_release);
  slot.length.store(length, std::memory_order_release);
  slot.key.store(key, std::memory_order_release);
  return key;
}

bool MemoryTable::remove(std::uint32_t key) {
  const std::scoped_lock lock(mutex_);
  auto& slot = slots_[key % kRegions];
  if (key == 0 || slot.key.load(std::memory_order_relaxed) != key) return false;
  slot.key.store(0, std::memory_order_relaxed);
  const auto next = key + kRegions;
  free_.push_back(next < kRegions ? next + kRegions : next);  // no generation 0
  return true;
}

std::size_t MemoryTable::live() const {
  const std::scoped_lock lock(mutex_);
  return kRegions - free_.size();
}

}  // namespace manactl::adapter
