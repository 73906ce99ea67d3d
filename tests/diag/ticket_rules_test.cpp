// SPDX-License-Identifier: MIT
//
// Rules that need several lines of a ticket.

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::ticket_rules_test {
namespace {

using test::diagnose_text;
using test::root_id;

std::vector<std::string> confirmed_causes(const std::string& text) {
  std::vector<std::string> causes;
  const auto diagnosis = diagnose_text(text);
  if (!diagnosis.root) return causes;
  for (const auto& one : diagnosis.root->alternatives) {
    if (one.confirmation == Confirmation::confirmed) causes.push_back(one.cause);
  }
  return causes;
}

constexpr const char* kBoot = "Linux version 6.8.0-1044-azure (root@host)\n";
constexpr const char* kNic = "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth0: ";

TEST(CrashKernel, HasTooLittleMemory) {
  const std::string crash =
      "Command line: elfcorehdr=0x23000000 BOOT_IMAGE=/vmlinuz root=/dev/sda1 nr_cpus=1\n";
  const std::string failed = kNic + std::string("unable to allocate receive buffer of size 17\n");
  EXPECT_THAT(confirmed_causes(kBoot + crash + failed),
              testing::ElementsAre(testing::HasSubstr("crash kernel")));
  EXPECT_THAT(confirmed_causes(kBoot + failed), testing::IsEmpty());
  EXPECT_THAT(confirmed_causes(kBoot + crash + kNic + "VF slot 1 added\n" + kBoot + failed),
              testing::IsEmpty());
}

TEST(RepeatedArgument, LeavesOnePortMissing) {
  const std::string start =
      "EAL: Detected CPU lcores: 8\nmana_dev_start(): TX/RX queues have "
      "started\n  Rx-pps:  12          Rx-bps:   5760\n";
  const std::string first = "# dpdk-testpmd --vdev=7870:00:00.0,mac=00:22:48:7a:10:5e";
  const auto twice = first + " --vdev=7870:00:00.0,mac=00:22:48:7a:1b:c2 -- -i\n";
  const auto once = first + ",mac=00:22:48:7a:1b:c2 -- -i\n";
  EXPECT_EQ(root_id(diagnose_text(twice + start)), "repeated-device-argument");
  EXPECT_EQ(diagnose_text(twice + start).verdict->answer, Answer::degraded);
  const std::string other = "# dpdk-testpmd -a 4b1e:00:00.0,mac=00:22:48:7a:10:5e";
  const auto of_other =
      diagnose_text(other + " -a 4b1e:00:00.0,mac=00:22:48:7a:1b:c2 -- -i\n" + start);
  ASSERT_EQ(root_id(of_other), "repeated-device-argument");
  EXPECT_THAT(of_other.root->fix, testing::HasSubstr("`4b1e:00:00.0,mac=MAC1,mac=MAC2`"));
  EXPECT_EQ(
      root_id(diagnose_text(other + " -a 7870:00:00.0,mac=00:22:48:7a:1b:c2 -- -i\n" + start)), "");
  EXPECT_EQ(diagnose_text(once + start).verdict->answer, Answer::works);
}

TEST(DriverProbe, ATimeoutListsTheCheapestRemedyFirst) {
  for (const std::string line :
       {"mana: probe of 7870:00:00.0 failed with error -110\n",
        "mana 7870:00:00.0: probe with driver mana failed with error -110\n"}) {
    const auto diagnosis = diagnose_text(line);
    ASSERT_EQ(root_id(diagnosis), "driver-probe-error");
    EXPECT_THAT(diagnosis.root->fix, testing::HasSubstr("`modprobe -a mana mana_ib`"));
    ASSERT_EQ(diagnosis.root->other_fixes.size(), 2U);
    EXPECT_THAT(diagnosis.root->other_fixes[1].why, testing::HasSubstr("az vm redeploy"));
  }
}

TEST(Container, ShowsNothingAboutTheNicOfTheVm) {
  const std::string link = "27: eth0@if28: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500\n";
  const auto verdict = diagnose_text(link).verdict.value();
  EXPECT_EQ(verdict.answer, Answer::no_failure);
  ASSERT_TRUE(verdict.idle);
  EXPECT_EQ(verdict.idle->signature->id, "container-interface");
}

TEST(FaultOfAnotherNic, MattersOnlyWithoutMana) {
  const std::string other =
      "EAL: Probe PCI driver: mlx5_pci (15b3:1018) device: 0c2f:00:02.0 (socket 0)\n"
      "mlx5_common: No Verbs device matches PCI device 0c2f:00:02.0, are kernel drivers loaded?\n";
  EXPECT_EQ(root_id(diagnose_text(other)), "mlx5-no-rdma-device");
  EXPECT_EQ(diagnose_text(other).verdict->answer, Answer::not_mana);
  EXPECT_EQ(root_id(diagnose_text("MANA_DRIVER: mana_init_once(): MP INIT PRIMARY\n" + other)), "");
}

TEST(Removal, IsNotRecoveredByTheStartOfDaysBefore) {
  const std::string removed =
      "2026-03-14T02:10:05 vm app[1]: eth event on port 0 (7870:00:00.0_port2): device removal\n";
  const auto started = [](const std::string& day) {
    const auto prefix = day + "T11:31:07 vm app[2]: ";
    return prefix + "EAL: Detected CPU lcores: 8\n" + prefix +
           "port 0 started, 2 rx queues, driver net_mana\n";
  };
  const auto before = started("2026-03-01") + removed;
  EXPECT_EQ(root_id(diagnose_text(before + started("2026-03-02"))), "testpmd-removal");
  EXPECT_EQ(root_id(diagnose_text(before + started("2026-03-15"))), "");
}

TEST(NameOfAVf, HasADomainAndASlot) {
  const auto root = [](const std::string& name) {
    return root_id(diagnose_text(kBoot + std::string(kNic) + "VF slot 1 added\n" + name +
                                 ": mtu greater than device maximum\n"));
  };
  EXPECT_EQ(root("enP30832s1d1"), "vf-mtu-too-large");
  EXPECT_EQ(root("enP30832p0s0d1"), "vf-mtu-too-large");
  EXPECT_EQ(root("enP2p1s0f0"), "");
}

TEST(UnloadedDriver, IsTheCauseUntilItIsLoadedAgain) {
  const std::string unloaded = "hv_vmbus: unregistering driver hv_netvsc\n";
  EXPECT_EQ(root_id(diagnose_text(kBoot + unloaded)), "hvnetvsc-driver-removed");
  EXPECT_EQ(root_id(diagnose_text(kBoot + unloaded + "hv_vmbus: registering driver hv_netvsc\n")),
            "");
}

}  // namespace
}  // namespace manactl::diag::ticket_rules_test
