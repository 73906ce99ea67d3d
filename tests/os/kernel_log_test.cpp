// SPDX-License-Identifier: MIT

#include "os/kernel_log.h"

#include <gtest/gtest.h>

namespace manactl::os {
namespace {

TEST(KernelLogRecord, IsFormattedLikeDmesg) {
  EXPECT_EQ(
      format_record("6,339,5140900,-;mana 7870:00:00.0: up\n SUBSYSTEM=pci\n DEVICE=+pci:x\n"),
      "[    5.140900] mana 7870:00:00.0: up\n");
  EXPECT_EQ(format_record("4,1,12345678901234,c,caller=T1;text"), "[12345678.901234] text\n");
}

TEST(KernelLogRecord, DecodesEscapedBytes) {
  EXPECT_EQ(format_record("6,1,0,-;a\\x5cb \\xc3\\xbc\n"), "[    0.000000] a\\b \xc3\xbc\n");
  EXPECT_EQ(format_record("6,1,0,-;a\\x0ab\n"), "[    0.000000] a\n[    0.000000] b\n");
  EXPECT_EQ(format_record("6,1,0,-;cut \\x5\n"), "[    0.000000] cut \\x5\n");
}

TEST(KernelLogRecord, IsEmptyIfMalformed) {
  for (const char* bad : {"", "text", "6,1;x", "6,1,x,-;y", ";", "6,1,-5,-;z"}) {
    EXPECT_EQ(format_record(bad), "") << bad;
  }
}

}  // namespace
}  // namespace manactl::os
