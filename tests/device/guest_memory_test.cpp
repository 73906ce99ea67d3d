// SPDX-License-Identifier: MIT

#include "device/guest_memory.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>

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
  EXPECT_FALSE(memory.publish(0x1ffd, 0));
  EXPECT_TRUE(memory.publish(0x1ffc, 0));
  EXPECT_FALSE(memory.publish(0x2000, 0));
  EXPECT_TRUE(memory.unmap(0x1000, 0x2000));
  EXPECT_FALSE(memory.read(0x1000, both));
  EXPECT_FALSE(memory.read(0x2000, both));
  EXPECT_TRUE(memory.read(0x4000, both));
}

TEST(GuestMemory, PublishesOnlyToAlignedMemory) {
  const auto ram = ram_file(4096);
  GuestMemory memory;
  ASSERT_TRUE(memory.map(0x1002, 4000, ram, 0, true));
  EXPECT_FALSE(memory.publish(0x1004, 1));
  EXPECT_FALSE(memory.publish(0x1003, 1));
  EXPECT_TRUE(memory.publish(0x1002, 1));
}

class LostMemory : public testing::Test {
 protected:
  LostMemory() {
    survive_lost_memory();
    EXPECT_TRUE(memory.map(kAddress, kBytes, ram, 0, true));
  }

  static constexpr std::uint64_t kAddress = 0x10000, kBytes = 8 * 4096;
  const Descriptor ram = ram_file(kBytes);
  GuestMemory memory;
  std::array<std::uint8_t, 4> bytes{};
};

TEST_F(LostMemory, IsNotRam) {
  EXPECT_TRUE(memory.write(kAddress + 4096, bytes));
  EXPECT_FALSE(memory.is_lost());
  ASSERT_EQ(::ftruncate(ram.get(), 4096), 0);
  EXPECT_TRUE(memory.read(kAddress, bytes));
  EXPECT_FALSE(memory.is_lost());
  EXPECT_FALSE(memory.read(kAddress + 4096, bytes));
  EXPECT_TRUE(memory.is_lost());
  EXPECT_TRUE(memory.clear());
  EXPECT_FALSE(memory.is_lost());
}

TEST_F(LostMemory, IsFoundByEveryAccess) {
  ASSERT_EQ(::ftruncate(ram.get(), 0), 0);
  EXPECT_FALSE(memory.write(kAddress, bytes));
  EXPECT_TRUE(memory.is_lost());
  EXPECT_TRUE(memory.clear());
  const auto other = ram_file(4096);
  ASSERT_TRUE(memory.map(kAddress, 4096, other, 0, true));
  ASSERT_EQ(::ftruncate(other.get(), 0), 0);
  EXPECT_FALSE(memory.publish(kAddress, 7));
  EXPECT_TRUE(memory.is_lost());
}

TEST(LostMemoryDeathTest, DoesNotHideOtherBusErrors) {
  const auto file = ram_file(4096);
  auto* at =
      static_cast<volatile char*>(::mmap(nullptr, 4096, PROT_READ, MAP_SHARED, file.get(), 0));
  ASSERT_EQ(::ftruncate(file.get(), 0), 0);
  EXPECT_EXIT(
      {
        survive_lost_memory();
        std::exit(*at);
      },
      testing::KilledBySignal(SIGBUS),
      "");
  EXPECT_EXIT(
      {
        survive_lost_memory();
        std::raise(SIGBUS);
        std::exit(0);
      },
      testing::KilledBySignal(SIGBUS),
      "");
}

TEST(GuestMemory, RefusesFilesThatAreNotInMemory) {
  GuestMemory memory;
  const Descriptor program(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const auto mapped = memory.map(0, 4096, program, 0, false);
  ASSERT_FALSE(mapped.has_value());
  EXPECT_EQ(mapped.error().message, "the file is not in memory: use memfd, tmpfs or hugetlbfs");
}

TEST(GuestMemory, LimitsTheNumberOfRanges) {
  const auto ram = ram_file(4096);
  GuestMemory memory;
  for (std::uint64_t i = 0; i < GuestMemory::kMaxRanges; ++i) {
    ASSERT_TRUE(memory.map(i * 4096, 4096, ram, 0, true)) << i;
  }
  const auto next = memory.map(GuestMemory::kMaxRanges * 4096, 4096, ram, 0, true);
  ASSERT_FALSE(next.has_value());
  EXPECT_EQ(next.error().sys, ENOSPC);
}

}  // namespace
}  // namespace manactl::device::guest_memory_test
