// SPDX-License-Identifier: MIT

#include "device/guest_memory.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

#include "device/qemu_client.h"

namespace manactl::device::guest_memory_test {
namespace {

TEST(GuestMemory, ReadsAcrossAdjacentRangesOnly) {
  const auto ram = ram_file(3 * 4096);
  GuestMemory memory;
  ASSERT_TRUE(memory.map(0x1000, 4096, ram, 4096, true));
  ASSERT_TRUE(memory.map(0x2000, 4096, ram, 0, false));
  ASSERT_TRUE(memory.map(0x4000, 4096, ram, 8192, true));
  const std::uint8_t last = 5, first = 6;
  ASSERT_EQ(::pwrite(ram.get(), &last, 1, 2 * 4096 - 1), 1);
  ASSERT_EQ(::pwrite(ram.get(), &first, 1, 0), 1);
  std::array<std::uint8_t, 2> both{};
  ASSERT_TRUE(memory.read(0x1fff, both));
  EXPECT_EQ(both, (std::array{last, first}));
  EXPECT_FALSE(memory.write(0x1fff, both));  // the second range is read-only
  EXPECT_FALSE(memory.read(0x2fff, both));   // a gap
  EXPECT_FALSE(memory.read(0xfff, both));
  EXPECT_EQ(memory.writable_at(0x1ffd, 4), nullptr);
  EXPECT_NE(memory.writable_at(0x1ffc, 4), nullptr);
  EXPECT_EQ(memory.writable_at(0x2000, 4), nullptr);
  memory.unmap(0x1000, 0x2000);
  EXPECT_FALSE(memory.read(0x1000, both));
  EXPECT_FALSE(memory.read(0x2000, both));
  EXPECT_TRUE(memory.read(0x4000, both));
}

}  // namespace
}  // namespace manactl::device::guest_memory_test
