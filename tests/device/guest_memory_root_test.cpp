// SPDX-License-Identifier: MIT
//
// RAM of the guest in hugepages, of which the kernel maps, unmaps and replaces only whole ones.

#include <gtest/gtest.h>
#include <linux/memfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <fstream>
#include <string>

#include "device/guest_memory.h"
#include "support/with_hugepages.h"

namespace manactl::device::guest_memory_root_test {
namespace {

constexpr std::uint64_t kHugepage = 2U << 20U, kAddress = 0x10000, kBytes = 4096;

class HugepageRam : public test::WithHugepages {
 protected:
  void SetUp() override {
    WithHugepages::SetUp();
    if (IsSkipped()) return;
    ASSERT_TRUE(reserve(before_ + kPages))
        << "the kernel has no memory for a hugepage; this needs root";
    survive_lost_memory();
    ram = Descriptor(::memfd_create("hugepages", MFD_CLOEXEC | MFD_HUGETLB | MFD_HUGE_2MB));
    ASSERT_EQ(::ftruncate(ram.get(), kPages * kHugepage), 0);
  }

  void TearDown() override {
    (void)memory.clear();
    ram = Descriptor();
    WithHugepages::TearDown();
  }

  static std::size_t mappings() {
    std::ifstream maps("/proc/self/maps");
    std::size_t found = 0;
    for (std::string line; std::getline(maps, line);) {
      if (line.find("memfd:hugepages") != std::string::npos) ++found;
    }
    return found;
  }

  static constexpr unsigned kPages = 2;
  Descriptor ram;
  GuestMemory memory;
  std::array<std::uint8_t, 4> bytes{};
};

TEST_F(HugepageRam, IsMappedAtAnyOffset) {
  constexpr std::uint64_t kOffset = kHugepage - kBytes;  // two bytes are in the second page
  ASSERT_TRUE(memory.map(kAddress, kBytes + 2, ram, kOffset, true));
  ASSERT_TRUE(memory.write(kAddress + kBytes - 2, std::array<std::uint8_t, 4>{1, 2, 3, 4}));
  EXPECT_FALSE(memory.read(kAddress + kBytes, bytes)) << "the range ends after two bytes";
  ASSERT_TRUE(memory.map(2 * kAddress, kBytes, ram, kHugepage, false));
  ASSERT_TRUE(memory.read(2 * kAddress, bytes));
  EXPECT_EQ(bytes, (std::array<std::uint8_t, 4>{3, 4}));
}

TEST_F(HugepageRam, IsUnmapped) {
  ASSERT_TRUE(memory.map(kAddress, kBytes, ram, 0, true));
  ASSERT_TRUE(memory.map(2 * kAddress, kBytes, ram, 0, true));
  EXPECT_TRUE(memory.unmap(kAddress, kBytes));
  EXPECT_EQ(mappings(), 1U);
  EXPECT_TRUE(memory.clear());
  EXPECT_EQ(mappings(), 0U);
}

TEST_F(HugepageRam, CanBeLost) {
  ASSERT_TRUE(memory.map(kAddress, kBytes, ram, 0, true));
  ASSERT_EQ(::ftruncate(ram.get(), 0), 0);
  EXPECT_FALSE(memory.read(kAddress, bytes));
  EXPECT_TRUE(memory.is_lost());
}

}  // namespace
}  // namespace manactl::device::guest_memory_root_test
