// SPDX-License-Identifier: MIT

#include "device/ring.h"

#include <gtest/gtest.h>

#include <numeric>

#include "device/memory_guest.h"

namespace manactl::device::ring_test {
namespace {

constexpr std::uint64_t kPage = MemoryGuest::kFirst;

// Two pages in descending order; the ring starts 64 bytes into the first.
Region scattered() {
  return {{kPage + 4096, kPage}, 2, 4096, 64, 4096};
}

TEST(Ring, FollowsItsPagesAndWrapsAtItsEnd) {
  MemoryGuest guest;
  const Ring ring(guest, scattered(), 4096);
  std::vector<std::uint8_t> bytes(4096), back(4096);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
  ASSERT_TRUE(ring.write(4096 + 4000, bytes));  // wraps: the ring has 4096 bytes
  ASSERT_TRUE(ring.read(4000, back));
  EXPECT_EQ(back, bytes);
  EXPECT_EQ(guest.ram[4096 + 64], bytes[96]) << "first byte of the ring";
  EXPECT_EQ(guest.ram[63], bytes[95]) << "last byte of the ring";
  EXPECT_EQ(guest.ram[64], 0U) << "after the ring";
  EXPECT_EQ(guest.ram[4096 + 63], 0U) << "before the ring";
}

TEST(Ring, FailsIfAPageIsNotRam) {
  MemoryGuest guest;
  const Ring ring(guest, {{kPage + MemoryGuest::kBytes}, 1, 4096, 0, 4096}, 4096);
  std::array<std::uint8_t, 4> bytes{};
  EXPECT_FALSE(ring.read(0, bytes));
  EXPECT_FALSE(ring.write(0, bytes));
  EXPECT_FALSE(ring.publish(0, 1));
}

TEST(Ring, FitsOnlyAPowerOfTwoWithinACompleteRegion) {
  EXPECT_TRUE(Ring::fits(scattered(), 4096));
  EXPECT_FALSE(Ring::fits(scattered(), 8192));
  EXPECT_FALSE(Ring::fits(scattered(), 2048));
  EXPECT_FALSE(Ring::fits(scattered(), 0));
  auto region = scattered();
  region.length = 6144;
  EXPECT_FALSE(Ring::fits(region, 6144));
  region = scattered();
  region.announced_pages = 3;
  EXPECT_FALSE(Ring::fits(region, 4096));
  region = scattered();
  region.offset_in_page = 0xffffffc0;
  EXPECT_FALSE(Ring::fits(region, 4096));
  region = scattered();
  region.offset_in_page = 8;
  EXPECT_FALSE(Ring::fits(region, 4096));
}

}  // namespace
}  // namespace manactl::device::ring_test
