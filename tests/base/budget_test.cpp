// SPDX-License-Identifier: MIT

#include "base/budget.h"

#include <gtest/gtest.h>

namespace manactl::budget_test {
namespace {

TEST(Budget, ChargesUpToItsLimit) {
  Budget budget("the bundle", 2048);
  EXPECT_TRUE(budget.charge(2000));
  EXPECT_TRUE(budget.charge(48));
  EXPECT_TRUE(budget.charge(0));
  EXPECT_FALSE(budget.charge(1));
}

TEST(Budget, NamesItsOwnerAndTheLimit) {
  Budget budget("the bundle", 2048);
  const auto charged = budget.charge(2049);
  ASSERT_FALSE(charged);
  EXPECT_EQ(charged.error().code, Errc::invalid);
  EXPECT_EQ(charged.error().message, "the bundle needs more memory than the limit of 2 KiB");
}

TEST(Budget, StaysExceeded) {
  Budget budget("the bundle", 2048);
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_FALSE(budget.charge(SIZE_MAX));
  EXPECT_TRUE(budget.is_exceeded());
  EXPECT_FALSE(budget.charge(0));
}

}  // namespace
}  // namespace manactl::budget_test
