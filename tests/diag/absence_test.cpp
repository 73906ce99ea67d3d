// SPDX-License-Identifier: MIT

#include "diag/absence.h"

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::absence_test {
namespace {

using test::diagnose_text;
using test::root_id;

constexpr const char* kFunction =
    "[    2.0] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000\n";
constexpr const char* kProbed =
    "[    2.5] mana 7870:00:00.0: Microsoft Azure Network Adapter protocol version: 0.1.1\n";

std::string root_of(const std::string& text) {
  return root_id(diagnose_text(text));
}

TEST(Absence, IsAFaultOnlyIfTheLogGoesOn) {
  const std::string function = kFunction;
  EXPECT_EQ(root_of(function), "");
  EXPECT_EQ(root_of(function + "[   61.9] audit: other\n"), "");
  EXPECT_EQ(root_of(function + "[   62.0] audit: other\n"), "kernel-function-without-driver");
  EXPECT_EQ(root_of(function + kProbed + "[   62.0] audit: other\n"), "");
}

// A VM may have a second function that it does not use.
TEST(Absence, OfADriverIsNoneIfItHasOpenedAnotherVf) {
  const std::string other = "[    1.0] pci 7871:00:00.0: [1414:00ba] type 00 class 0x020000\n";
  EXPECT_EQ(root_of(other + kFunction + kProbed + "[   90.0] audit: other\n"), "");
}

TEST(Absence, IsOnlyKnownIfTheLinesHaveTimes) {
  EXPECT_EQ(root_of("pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000\naudit: other\n"), "");
  EXPECT_EQ(root_of(std::string(kFunction) + "Nov 21 03:00:00 vm x[1]: other\n"), "");
}

TEST(Absence, OfAPortMatters) {
  const std::string kernel = kProbed;
  const std::string start = "[   20.0] EAL: Detected CPU lcores: 2\n";
  const std::string end = "[   90.0] audit: other\n";
  EXPECT_EQ(root_of(kernel + start + end), "program-without-ports");
  EXPECT_EQ(diagnose_text(kernel + start + end).root->title,
            "The DPDK program started, but no port appeared in the next 1 min 10 s");
  EXPECT_EQ(root_of(start + end), "") << "no line shows that the VM has MANA";
  EXPECT_EQ(root_of(kernel + start + "[   21.0] dpdk: EAL init args: -n 4\n" + end), "")
      << "VPP starts DPDK without a NIC";
}

// The configuration of another kernel does not matter if the driver of this one works.
TEST(Absence, OfADriverInTheConfigurationMattersIfNoDriverWorks) {
  const std::string config = "# CONFIG_MICROSOFT_MANA is not set\n";
  EXPECT_EQ(root_of(kFunction + config), "kernel-config-mana");
  EXPECT_EQ(root_of(kFunction + (kProbed + config)), "");
  EXPECT_EQ(root_of(kFunction + config + kProbed), "");
  const std::string rdma = "# CONFIG_MANA_INFINIBAND is not set\n";
  EXPECT_EQ(root_of(kProbed + rdma), "") << "the kernel does not need mana_ib";
  EXPECT_EQ(root_of(kProbed + rdma + "testpmd: No probed ethernet devices\n"),
            "kernel-config-mana-ib");
}

}  // namespace
}  // namespace manactl::diag::absence_test
