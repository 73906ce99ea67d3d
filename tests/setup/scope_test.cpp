// SPDX-License-Identifier: MIT

#include "setup/scope.h"

#include <gtest/gtest.h>

#include "os/memory_files.h"

namespace manactl::setup {
namespace {

// tests/security/watchdog_test.py calls it with a busctl of its own.
TEST(EnterScope, DoesNothingWhereSystemdDoesNotRun) {
  const auto clock = make_counting_clock();
  const os::MemoryFiles files;
  EXPECT_TRUE(enter_scope("a.scope", "a test", files, *clock));
  EXPECT_EQ(clock->now().count(), 0);
}

}  // namespace
}  // namespace manactl::setup
