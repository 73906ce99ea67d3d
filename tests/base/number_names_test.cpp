// SPDX-License-Identifier: MIT

#include "base/number_names.h"

#include <gtest/gtest.h>

#include <cstring>

// glibc before 2.32, as in the portable program, has no such functions.
#if __GLIBC_PREREQ(2, 32)

namespace manactl::number_names_test {
namespace {

std::string or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

TEST(ErrnoName, IsThatOfGlibc) {
  for (int number = 1; number < 200; ++number) {
    EXPECT_EQ(errno_name(number), or_empty(strerrorname_np(number))) << number;
  }
  EXPECT_EQ(errno_name(0), "");
  EXPECT_EQ(errno_name(-1), "");
}

TEST(SignalName, IsThatOfGlibc) {
  for (int number = 1; number < 32; ++number) {
    EXPECT_EQ(signal_name(number), "SIG" + or_empty(sigabbrev_np(number)));
  }
  EXPECT_EQ(signal_name(40), "signal 40");
  EXPECT_EQ(signal_name(-1), "signal -1");
}

}  // namespace
}  // namespace manactl::number_names_test

#endif
