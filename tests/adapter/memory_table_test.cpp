// SPDX-License-Identifier: MIT

#include "adapter/queues/memory_table.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

namespace manactl::adapter::memory_table_test {
namespace {

TEST(MemoryTable, AllowsAccessInsideARegion) {
  MemoryTable table;
  const auto key = table.add(0x1000, 0x100).value();
  EXPECT_EQ(table.check(key, 0x1000, 0x100), Access::allowed);
  EXPECT_EQ(table.check(key, 0x10ff, 1), Access::allowed);
  EXPECT_EQ(table.check(key, 0xfff, 1), Access::bad_range);
  EXPECT_EQ(table.check(key, 0x1001, 0x100), Access::bad_range);
  EXPECT_EQ(table.check(key, 0x1010, UINT64_MAX), Access::bad_range);
  EXPECT_EQ(table.check(key, 0x1100, 0), Access::allowed);
  EXPECT_EQ(table.check(key, 0x1101, 0), Access::bad_range);
}

TEST(MemoryTable, RejectsUnregisteredKeys) {
  MemoryTable table;
  const auto key = table.add(0x1000, 0x100).value();
  EXPECT_EQ(table.check(0, 0x1000, 1), Access::bad_key);
  EXPECT_EQ(table.check(key + 1, 0x1000, 1), Access::bad_key);
  EXPECT_TRUE(table.remove(key));
  EXPECT_FALSE(table.remove(key));
  EXPECT_EQ(table.check(key, 0x1000, 1), Access::bad_key);
}

TEST(MemoryTable, NeverReturnsTheSameKeyTwice) {
  MemoryTable table;
  std::set<std::uint32_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const auto key = table.add(0x1000, 1).value();
    EXPECT_TRUE(seen.insert(key).second);
    EXPECT_TRUE(table.remove(key));
  }
  EXPECT_EQ(table.size(), 0U);
}

TEST(MemoryTable, RejectsInvalidRegions) {
  MemoryTable table;
  EXPECT_EQ(table.add(0x1000, 0).error().code, Errc::invalid);
  EXPECT_EQ(table.add(UINT64_MAX, 2).error().code, Errc::invalid);
}

TEST(MemoryTable, FailsWhenItIsFull) {
  MemoryTable table;
  for (std::uint32_t i = 0; i < MemoryTable::kRegions; ++i) ASSERT_TRUE(table.add(0x1000, 1));
  EXPECT_EQ(table.add(0x1000, 1).error().code, Errc::busy);
}

TEST(MemoryTable, NeverMixesTwoRegionsOfOneSlot) {
  MemoryTable table;
  std::atomic<bool> stop{false};
  std::atomic<std::uint32_t> key{0};
  std::atomic<unsigned> mixed{0}, allowed{0};
  std::thread reader([&] {
    while (!stop) {
      const auto now = key.load();
      // Regions with odd generations (key / kRegions) are at 1 MiB, the others at 2 MiB.
      const bool odd = (now / MemoryTable::kRegions) % 2 != 0;
      const auto wrong = table.check(now, odd ? 2U << 20U : 1U << 20U, 1);
      mixed += wrong == Access::allowed ? 1U : 0U;
      allowed += table.check(now, odd ? 1U << 20U : 2U << 20U, 1) == Access::allowed ? 1U : 0U;
    }
  });
  std::uint32_t last = 0;
  for (unsigned i = 0; i < 20000 || allowed == 0; ++i) {
    EXPECT_EQ(table.remove(last), last != 0);
    last =
        table.add((last / MemoryTable::kRegions + 1) % 2 != 0 ? 1U << 20U : 2U << 20U, 16).value();
    key = last;
  }
  stop = true;
  reader.join();
  EXPECT_EQ(mixed, 0U);
}

}  // namespace
}  // namespace manactl::adapter::memory_table_test
