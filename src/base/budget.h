// SPDX-License-Identifier: MIT
//
// Limits for the memory that an untrusted input makes the program use.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "base/result.h"

namespace manactl {

// No command needs more than this for any input. The budgets of an input add up to less, which
// leaves room for copies.
inline constexpr std::size_t kMaxMemory = 512U << 20;

// Limits this process to kMaxMemory. Beyond it, allocations throw std::bad_alloc, which main()
// reports. The limit guards what no budget counts: temporary copies, and memory of libraries.
void limit_memory();

bool is_memory_limited();  // whether limit_memory() was called

class Budget {
 public:
  // `owner` names the input in messages: "the bundle".
  Budget(std::string owner, std::size_t bytes)
      : owner_(std::move(owner)), limit_(bytes), left_(bytes) {}

  // Call it before the memory is allocated. Fails with Errc::invalid if less than `bytes` is left;
  // later calls then fail, too.
  Result<> charge(std::size_t bytes);

  bool is_exceeded() const { return is_exceeded_; }

 private:
  std::string owner_;
  std::size_t limit_, left_;
  bool is_exceeded_ = false;
};

// A limit for the memory of objects that come and go. Not thread-safe.
class Quota {
 public:
  // Bytes of a quota, which the destructor returns. The quota must outlive it. Movable only.
  class Share {
   public:
    Share() = default;

    Share(Share&& other) noexcept
        : quota_(std::exchange(other.quota_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

    Share& operator=(Share&& other) noexcept {
      std::swap(quota_, other.quota_);  // `other` returns the old bytes
      std::swap(bytes_, other.bytes_);
      return *this;
    }

    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

    ~Share() {
      if (quota_ != nullptr) quota_->used_ -= bytes_;
    }

   private:
    friend class Quota;

    Share(Quota& quota, std::size_t bytes) : quota_(&quota), bytes_(bytes) {}

    Quota* quota_ = nullptr;
    std::size_t bytes_ = 0;
  };

  explicit Quota(std::size_t bytes) : limit_(bytes) {}

  Quota(const Quota&) = delete;
  Quota& operator=(const Quota&) = delete;

  // Call it before the memory is allocated. No value if less than `bytes` is left.
  std::optional<Share> take(std::size_t bytes) {
    if (bytes > limit_ - used_) return std::nullopt;
    used_ += bytes;
    return Share(*this, bytes);
  }

  std::size_t limit() const { return limit_; }

  std::size_t used() const { return used_; }

 private:
  std::size_t limit_, used_ = 0;
};

}  // namespace manactl
