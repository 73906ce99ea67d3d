// SPDX-License-Identifier: MIT

#include "device/memory_keys.h"

#include <gtest/gtest.h>

#include <numeric>

#include "device/memory_guest.h"

namespace manactl::device::memory_keys_test {
namespace {

constexpr std::uint32_t kPd = 9, kKey = 0x300, kReadOnlyKey = 0x301;
constexpr std::uint64_t kVirtual = 0x7f0000000100;

class MemoryKeysTest : public testing::Test {
 protected:
  // 6000 bytes that begin in the middle of a page, on two pages in reverse order.
  MemoryKeysTest() {
    const auto second = guest.allocate(4096);
    const auto first = guest.allocate(4096);
    const auto region = [&] { return Region{{first, second}, 2, 6000, 0x100, 4096}; };
    keys.add(kMemKey, {kPdId, true, 0, std::nullopt});
    keys.add(kKey, {kPd, true, kVirtual, region()});
    keys.add(kReadOnlyKey, {kPd, false, kVirtual, region()});
  }

  std::optional<SgeFault> write(std::uint32_t key,
                                std::uint64_t address,
                                std::size_t bytes,
                                std::optional<std::uint32_t> pd = kPd) {
    return keys.write({address, key, 0}, pd, std::vector<std::uint8_t>(bytes));
  }

  MemoryGuest guest;
  MemoryKeys keys{guest};
};

TEST_F(MemoryKeysTest, MapVirtualAddressesToPages) {
  std::vector<std::uint8_t> written(6000), read(6000);
  std::iota(written.begin(), written.end(), std::uint8_t{0});
  ASSERT_EQ(keys.write({kVirtual, kKey, 0}, kPd, written), std::nullopt);
  ASSERT_EQ(keys.read({kVirtual, kReadOnlyKey, 0}, kPd, read), std::nullopt);
  EXPECT_EQ(read, written);
  const auto first = MemoryGuest::kFirst + 4096, second = MemoryGuest::kFirst;
  std::array<std::uint8_t, 2> bytes{};
  ASSERT_TRUE(guest.read(first + 0x100, bytes));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{0, 1}));
  ASSERT_TRUE(guest.read(second, bytes));  // 4096 - 0x100 = 0xf00 bytes are on the first page
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{0, 1}));
  ASSERT_TRUE(guest.read(second + 1, bytes));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 2>{1, 2}));
}

TEST_F(MemoryKeysTest, RejectEverythingElse) {
  EXPECT_EQ(write(kKey, kVirtual + 5999, 1), std::nullopt);
  EXPECT_EQ(write(kKey, kVirtual + 6000, 1), SgeFault::outside);
  EXPECT_EQ(write(kKey, kVirtual + 5999, 2), SgeFault::outside);
  EXPECT_EQ(write(kKey, kVirtual - 1, 1), SgeFault::outside);
  EXPECT_EQ(write(kKey + 9, kVirtual, 1), SgeFault::unknown_key);
  EXPECT_EQ(write(kReadOnlyKey, kVirtual, 1), SgeFault::read_only);
  EXPECT_EQ(write(kKey, kVirtual, 1, kPd + 1), SgeFault::other_pd);
  EXPECT_EQ(write(kKey, kVirtual, 1, std::nullopt), std::nullopt);
  EXPECT_EQ(write(kMemKey, MemoryGuest::kFirst, 1), SgeFault::other_pd);
  EXPECT_EQ(write(kMemKey, MemoryGuest::kFirst, 1, kPdId), std::nullopt);
  EXPECT_EQ(write(kMemKey, 0, 1, kPdId), SgeFault::not_ram);
}

TEST_F(MemoryKeysTest, AreGoneAfterTheirRemoval) {
  EXPECT_TRUE(keys.remove(kKey));
  EXPECT_FALSE(keys.remove(kKey));
  EXPECT_EQ(write(kKey, kVirtual, 1), SgeFault::unknown_key);
  EXPECT_EQ(write(kMemKey, MemoryGuest::kFirst, 1, kPdId), std::nullopt);
}

}  // namespace
}  // namespace manactl::device::memory_keys_test
