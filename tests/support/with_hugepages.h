// SPDX-License-Identifier: MIT
//
// The base of tests that reserve hugepages of the default size, as root.

#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace manactl::test {

inline unsigned long number_in(const char* path) {
  unsigned long number = 0;
  std::ifstream(path) >> number;
  return number;
}

// Restores the number of hugepages after each test. A lock keeps other tests from changing it.
class WithHugepages : public testing::Test {
 protected:
  static constexpr const char* kPool = "/proc/sys/vm/nr_hugepages";

  void SetUp() override {
    lock_ = open(kPool, O_RDONLY | O_CLOEXEC);
    if (lock_ < 0 && errno == ENOENT) GTEST_SKIP() << "this kernel has no hugepages: no " << kPool;
    ASSERT_EQ(flock(lock_, LOCK_EX), 0);
    before_ = number_in(kPool);
  }

  void TearDown() override {
    if (lock_ < 0) return;
    reserve(before_);
    EXPECT_EQ(number_in(kPool), before_);
    close(lock_);
  }

  // Reads the number back, because the kernel may reserve fewer pages without an error if memory is
  // fragmented.
  static bool reserve(unsigned long pages) {
    std::ofstream(kPool) << pages << std::endl;
    return number_in(kPool) == pages;
  }

  int lock_ = -1;
  unsigned long before_ = 0;
};

}  // namespace manactl::test
