// SPDX-License-Identifier: MIT
//
// Memory regions: what a driver registered, by key. Keys carry a generation, so that one that was
// given back is noticed when it is used again.

#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

#include "base/result.h"

namespace manactl::adapter {

// Addresses in WQEs are those of the program that the adapter lives in.
inline std::uint8_t* memory_at(std::uint64_t address) {
  return reinterpret_cast<std::uint8_t*>(address);  // NOLINT(performance-no-int-to-ptr): as above
}

enum class Access : std::uint8_t { fine, bad_key, bad_range };

class MemoryTable {
 public:
  static constexpr std::uint32_t kRegions = 1U << 14U;

  MemoryTable();

  // Any thread. Keys are never 0. Refused: nothing in it, past the end of addresses, table full.
  Result<std::uint32_t> add(std::uint64_t address, std::uint64_t length);

  // False when the key is not live.
  bool remove(std::uint32_t key);

  // Any thread, without a lock, also beside add and remove.
  Access check(std::uint32_t key, std::uint64_t address, std::uint64_t size) const {
    auto& slot = slots_[key % kRegions];
    const std::atomic_ref live(slot.key);
    if (key == 0 || live.load(std::memory_order_acquire) != key) return Access::bad_key;
    const auto first = std::atomic_ref(slot.address).load(std::memory_order_acquire);
    const auto length = std::atomic_ref(slot.length).load(std::memory_order_acquire);
    if (live.load(std::memory_order_relaxed) != key) return Access::bad_key;
    const auto from = address - first;
    return from <= length && size <= length - from ? Access::fine : Access::bad_range;
  }

  std::size_t live() const;

 private:
  // The key is 0 while the rest changes; that the others are released makes a reader see that.
  struct Slot {
    std::uint32_t key;
    std::uint64_t address, length;
  };

  struct Free {
    void operator()(Slot* slots) const noexcept { std::free(slots); }
  };

  // From calloc(), whose pages are not touched before they are used.
  std::unique_ptr<Slot[], Free> slots_;
  mutable std::mutex mutex_;
  std::uint32_t used_ = 0;           // slots that ever had a region
  std::vector<std::uint32_t> free_;  // the key that each of these gets next, if it is free
};

}  // namespace manactl::adapter
