// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <new>
#include <vector>

#include "base/budget.h"

namespace manactl::memory_limit_test {
namespace {

// Exits with 0 if the vector was allocated, and with 1 if not.
[[noreturn]] void allocate(std::size_t bytes) {
  limit_memory();
  try {
    const std::vector<char> memory(bytes);
    std::_Exit(memory.back());
  } catch (const std::bad_alloc&) {
    std::_Exit(1);
  }
}

TEST(MemoryLimit, RefusesMoreThan512MiB) {
  EXPECT_EXIT(allocate(kMaxMemory), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(allocate(kMaxMemory / 2), testing::ExitedWithCode(0), "");
}

TEST(MemoryLimit, KeepsALowerLimit) {
  const auto lower = [] {
    rlimit limit{kMaxMemory / 4, kMaxMemory / 4};
    if (setrlimit(RLIMIT_DATA, &limit) != 0) std::_Exit(2);
    allocate(kMaxMemory / 2);
  };
  EXPECT_EXIT(lower(), testing::ExitedWithCode(1), "");
}

}  // namespace
}  // namespace manactl::memory_limit_test
