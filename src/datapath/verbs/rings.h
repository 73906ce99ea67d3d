// SPDX-License-Identifier: MIT
//
// The driver's side of doorbells and completion rings. It runs for every burst: nothing here
// allocates, throws or calls the kernel.

#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "datapath/verbs/library.h"
#include "wire/completion.h"
#include "wire/doorbell.h"
#include "wire/oob.h"
#include "wire/work_queue.h"

namespace manactl::datapath::verbs {

static_assert(std::endian::native == std::endian::little, "rings are shared with the device");

// The first 8 bytes of a record, as one number.
template <class T>
constexpr std::uint64_t first_qword(const T& record) {
  return wire::load(*wire::encode(record), 0, 8);
}

// A WQE with one segment, which fills one basic unit.
struct alignas(wire::kBasicUnit) Wqe {
  std::uint64_t header = 0, oob = 0, address = 0, key_and_size = 0;
};

static_assert(sizeof(Wqe) == wire::kBasicUnit);

inline constexpr std::uint64_t kOneSegment = first_qword(wire::WqeHeader{.num_sge = 1});
inline constexpr std::uint64_t kSuppressCompletion =
    first_qword(wire::TxShortOob{.suppress_cqe = true});

constexpr std::uint64_t key_and_size(std::uint32_t key, std::uint32_t size) {
  return wire::load(*wire::encode(wire::Sge{0, key, size}), 8, 8);
}

// One register of a doorbell page.
class Doorbell {
 public:
  Doorbell() = default;

  Doorbell(void* page, wire::DoorbellTarget target, DoorbellFunction* call)
      : page_(static_cast<std::uint8_t*>(page)),
        offset_(static_cast<std::uint32_t>(target)),
        call_(call) {}

  void ring(std::uint64_t value) const noexcept {
    if (call_ != nullptr) return call_(page_, offset_, value);
    // The device must see the WQEs before the doorbell. The page may be write-combining memory,
    // for which a release store is not sufficient.
#if defined(__x86_64__)
    __builtin_ia32_sfence();
#elif defined(__aarch64__)
    asm volatile("dmb oshst" ::: "memory");
#endif
    std::atomic_ref(*reinterpret_cast<std::uint64_t*>(page_ + offset_))
        .store(value, std::memory_order_release);
  }

 private:
  std::uint8_t* page_ = nullptr;
  std::uint32_t offset_ = 0;
  DoorbellFunction* call_ = nullptr;
};

// Reads the entries of a CQ in the order in which the device writes them.
class CompletionReader {
 public:
  CompletionReader() = default;

  CompletionReader(const void* entries, std::uint32_t count)
      : entries_(static_cast<const std::uint8_t*>(entries)), count_(count), head_(count) {
    update_position();
  }

  // The next entry, or null if there is none. It stays valid until the device reuses the slot.
  const std::uint8_t* next() noexcept {
    const auto* entry = entries_ + std::size_t{index_} * wire::kCqeBytes;
    const auto info = load_info(entry);
    if (info >> kOwnerShift != owner_) {
      const auto before = (owner_ - 1) & wire::mask_of(wire::kOwnerBits);
      overflowed_ = overflowed_ || info >> kOwnerShift != before;
      return nullptr;
    }
    ++head_;
    // The device's count of entries also wraps at 32 bits; both sides then restart the owner bits.
    if (++index_ == count_ || head_ == 0) update_position();
    return entry;
  }

  // True if the device has overwritten entries that were not read.
  bool overflowed() const { return overflowed_; }

 private:
  static constexpr unsigned kOwnerShift = 29;

  static std::uint32_t load_info(const std::uint8_t* entry) noexcept {
    const auto* info = reinterpret_cast<const std::uint32_t*>(entry + wire::kCqeDataBytes);
    return __atomic_load_n(info, __ATOMIC_ACQUIRE);
  }

  void update_position() noexcept {
    index_ = head_ % count_;
    owner_ = wire::owner_at(head_, count_);
  }

  const std::uint8_t* entries_ = nullptr;
  std::uint32_t count_ = 1, head_ = 0, index_ = 0, owner_ = 0;
  bool overflowed_ = false;
};

inline std::uint32_t dword(const std::uint8_t* entry, unsigned index) noexcept {
  return reinterpret_cast<const std::uint32_t*>(entry)[index];
}

inline wire::CqeType type_of(const std::uint8_t* entry) noexcept {
  return static_cast<wire::CqeType>(dword(entry, 0) & wire::mask_of(6));
}

}  // namespace manactl::datapath::verbs
