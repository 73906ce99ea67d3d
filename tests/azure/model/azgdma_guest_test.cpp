// SPDX-License-Identifier: MIT

#include "azure/model/azgdma_guest.h"

#include <gtest/gtest.h>

namespace manactl::device {
namespace {

TEST(RamRanges, AreTheTopLevelSystemRamEntries) {
  const auto ranges = ram_ranges(
      "00000000-00000fff : Reserved\n"
      "00001000-0009fbff : System RAM\n"
      "00100000-3effffff : System RAM\n"
      "  01000000-01ffffff : Kernel code\n"
      "3f000000-3f0fffff : Reserved\n"
      "  02000000-02ffffff : System RAM\n"
      "garbage\n");
  EXPECT_EQ(ranges, (std::vector<RamRange>{{0x1000, 0x9fc00}, {0x100000, 0x3f000000}}));
}

TEST(RamRanges, AreEmptyWithoutPrivileges) {
  EXPECT_TRUE(ram_ranges("00000000-00000000 : System RAM\n").empty());
}

}  // namespace
}  // namespace manactl::device
