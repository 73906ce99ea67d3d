// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::cmd_check_test {
namespace {

using testing::HasSubstr;

TEST(Check, PassesStrictlyOnAHealthyVm) {
  for (const auto* tree : {"mana-direct", "ubuntu-two-nics"}) {
    const auto outcome = manactl({"check", "--strict", "--root", fixture(tree)});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    EXPECT_THAT(outcome.out, testing::EndsWith("\nThis VM is ready for DPDK on MANA.\n"));
  }
}

TEST(Check, StrictlyFailsIfAResultIsUnknown) {
  std::vector<std::string> words = {
      "check", "--only", "kernel.version", "--root", fixture("mana-ib-missing")};
  EXPECT_EQ(manactl(words).code, 0);
  words.emplace_back("--strict");
  EXPECT_EQ(manactl(words).code, 1);
}

TEST(Check, PrintsOnlyTheRemedyThatComesFirst) {
  const auto outcome = manactl({"check", "--root", fixture("image-ubuntu-22-04")});
  EXPECT_THAT(outcome.out, HasSubstr("github.com/linux-rdma/rdma-core.git"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("dpdk-stable")))
      << "this build needs a newer rdma-core";
  EXPECT_THAT(outcome.out, HasSubstr("All remedies: manactl doctor"));
}

TEST(Check, NamesTheOnlyNicThatIsNotFree) {
  const auto outcome = manactl({"check", "eth0", "--root", fixture("healthy-two-nics")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("but eth0 is not free for it."));
}

TEST(Check, ReadsABundleAsArgument) {
  const auto outcome = manactl({"check", fixture("rdma-core-39")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("rdma-core 39 is older than 44"));
  EXPECT_EQ(manactl({"check", fixture("rdma-core-39"), "--root", fixture("kernel-old")}).code, 2);
  const auto log = manactl({"check", "/var/log/testpmd.log"});
  EXPECT_EQ(log.code, 2);
  EXPECT_THAT(log.err, HasSubstr("'manactl doctor FILE' reads logs"));
}

}  // namespace
}  // namespace manactl::test::cmd_check_test
