// SPDX-License-Identifier: MIT
//
// The memory regions that a driver registered, by key. Keys contain a generation, so that the use
// of a deregistered key is detected.

#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"

namespace manactl::adapter {

// Addresses in WQEs are virtual addresses of this process.
inline std::uint8_t* memory_at(std::uint64_t address) {
  return reinterpret_cast<std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr): see above
}

enum class Access : std::uint8_t { allowed, bad_key, bad_range };

class MemoryTable {
 public:
  static constexpr std::uint32_t kRegions = 1U << 14U;

  MemoryTable();

  // Thread-safe. Returns the key, never 0. Fails if the region is empty, if it wraps around the end
  // of the address space, or if the table is full.
  Result<std::uint32_t> add(std::uint64_t address, std::uint64_t length);

  // False if the key is not registered.
  bool remove(std::uint32_t key);

  // Thread-safe without a lock, even during add() and remove().
  Access check(std::uint32_t key, std::uint64_t address, std::uint64_t size) const {
    auto& slot = slots_[key % kRegions];
    const std::atomic_ref live(slot.key);
    if (key == 0 || live.load(std::memory_order_acquire) != key) return Access::bad_key;
    const auto first = std::atomic_ref(slot.address).load(std::memory_order_acquire);
    const auto length = std::atomic_ref(slot.length).load(std::memory_order_acquire);
    if (live.load(std::memory_order_relaxed) != key) return Access::bad_key;
    const auto from = address - first;
    return from <= length && size <= length - from ? Access::allowed : Access::bad_range;
  }

  std::size_t size() const;

 private:
  // The key is 0 while `address` and `length` change. They are stored with release order, so that a
  // reader of a new address or length also sees that the key has changed.
  struct Slot {
    std::uint32_t key;
    std::uint64_t address, length;
  };

  struct Free {
    void operator()(Slot* slots) const noexcept { std::free(slots); }
  };

  // Allocated with calloc(), which does not touch the pages, so that unused slots use no memory.
  std::unique_ptr<Slot[], Free> slots_;
  mutable std::mutex mutex_;
  std::uint32_t used_ = 0;           // slots that were used at least once
  std::vector<std::uint32_t> free_;  // one per free slot: the key of the next region in it
};

}  // namespace manactl::adapter
