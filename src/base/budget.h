// SPDX-License-Identifier: MIT
//
// Limits for the memory that an untrusted input makes the program use.

#pragma once

#include <cstddef>
#include <string>

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

}  // namespace manactl
