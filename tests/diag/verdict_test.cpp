// SPDX-License-Identifier: MIT

#include "diag/verdict.h"

#include <gmock/gmock.h>

#include "diag/logs.h"

namespace manactl::diag::verdict_test {
namespace {

using test::diagnose_text;
using test::read_text;

constexpr const char* kStart = "EAL: Detected CPU lcores: 2\n";
constexpr const char* kForwards =
    "txonly packet forwarding - ports=1 - cores=1 - streams=1 - NUMA support enabled\n";
constexpr const char* kTraffic = "Nov 21 03:00:07 vm x[1]:   Tx-pps:  10421337   Tx-bps: 5\n";
constexpr const char* kRejected =
    "MANA_DRIVER: mana_process_tx_comp(): mana_tx_comp_oob cqe_type 33 vendor_err 1\n";

Verdict verdict_of(const std::string& text) {
  return diagnose_text(text).verdict.value();
}

TEST(Verdict, WorksIfTheLastRunWorks) {
  const auto verdict = verdict_of(std::string(kStart) + kForwards);
  EXPECT_EQ(verdict.answer, Answer::works);
  EXPECT_EQ(verdict.worked->quote.line, 2U);
}

TEST(Verdict, HasTheTimeUntilWhichItWorked) {
  for (const std::string end :
       {kRejected, "Segmentation fault\n", "mana 7870:00:00.0: MANA reset cycle start\n"}) {
    const bool is_kernel = end.starts_with("mana 7870");
    const std::string before =
        is_kernel
            ? "Nov 21 03:00:07 vm kernel: mana 7870:00:00.0 eth2: Configured vPort 1 PD 5 DB 1\n"
            : std::string(kStart) + kTraffic;
    const auto verdict = verdict_of(before + end);
    EXPECT_EQ(verdict.answer, Answer::worked_until) << end;
    EXPECT_EQ(verdict.worked->last_time, "Nov 21 03:00:07") << end;
    EXPECT_TRUE(verdict.failure) << end;
  }
}

TEST(Verdict, IsAFailureIfNoPacketPassedBeforeTheRootCause) {
  EXPECT_EQ(verdict_of(std::string(kStart) + kForwards + kRejected).answer, Answer::failed);
}

// testpmd prints its totals when it stops, which is after the removal.
TEST(Verdict, IsWorkedUntilARemovalIfLaterTotalsShowPackets) {
  const std::string before = std::string(kStart) + kForwards + "Port 0: device removal event\n";
  const auto verdict = verdict_of(before + "  TX-packets: 6560 TX-dropped: 85 TX-total: 6645\n");
  EXPECT_EQ(verdict.answer, Answer::worked_until);
  ASSERT_TRUE(verdict.worked);
  EXPECT_EQ(verdict.worked->quote.line, 4U);
  EXPECT_EQ(verdict.failure->line, 3U);
  EXPECT_EQ(verdict_of(before + "  TX-packets: 0 TX-dropped: 85 TX-total: 85\n").answer,
            Answer::failed);
  EXPECT_EQ(verdict_of(before + "  Tx-pps:          7          Tx-bps:         3584\n").answer,
            Answer::failed);
}

TEST(Verdict, IsAnUnknownFailureIfNoSignatureNamesTheCause) {
  for (const std::string text : {"EAL: frobnicator failed to spin up\n",
                                 "EAL: Bus (pci) probe failed.\n",
                                 "EAL: Detected CPU lcores: 2\nSegmentation fault\n"}) {
    EXPECT_EQ(verdict_of(text).answer, Answer::failed_unknown) << text;
  }
  EXPECT_EQ(verdict_of("EAL: frobnicator failed to spin up\n" + std::string(kForwards)).answer,
            Answer::works);
}

// An application that fails after an unrecognized error does not show the cause.
TEST(Verdict, IsAnUnknownFailureIfAnUnrecognizedErrorPrecedesWhatTheApplicationPrints) {
  const std::string unknown = "MANA_DRIVER: mana_dev_configure(): firmware error 0x31\n";
  for (const std::string line :
       {"Fail to configure port 0\n", "testpmd: No probed ethernet devices\n"}) {
    const auto diagnosis = diagnose_text(kStart + unknown + line);
    EXPECT_EQ(diagnosis.verdict->answer, Answer::failed_unknown) << line;
    EXPECT_EQ(diagnosis.verdict->failure->line, 2U) << line;
    EXPECT_EQ(diagnosis.consequences.size(), 1U) << line;
  }
  const auto no_ports = "testpmd: No probed ethernet devices\n";
  EXPECT_EQ(verdict_of(std::string(kStart) + no_ports).answer, Answer::failed);
  EXPECT_EQ(verdict_of(kStart + (no_ports + unknown)).answer, Answer::failed);
}

TEST(Verdict, IsNeitherSuccessNorFailureWithoutSuchLines) {
  EXPECT_EQ(verdict_of("").answer, Answer::no_failure);
  EXPECT_EQ(verdict_of(kStart).answer, Answer::no_failure);
  EXPECT_FALSE(diagnose(Report{}, {}).verdict);
}

TEST(Verdict, NamesALogOfAnotherNicNotMana) {
  const std::string other = "EAL: Probe PCI driver: mlx5_pci (15b3:1016) device: 3b91:00:02.0\n";
  const auto diagnosis = diagnose_text(other + "testpmd: No probed ethernet devices\n");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::not_mana);
  EXPECT_FALSE(diagnosis.root);
  EXPECT_EQ(verdict_of("nginx: error 17\n").answer, Answer::not_mana);
  EXPECT_EQ(verdict_of(other + kRejected).answer, Answer::failed);
}

TEST(Verdict, OfAVmOfHyperVWithoutLinesOfANicIsNoFailure) {
  const auto diagnosis = diagnose_text(
      "kernel: hv_balloon: Balloon request will be partially fulfilled. Balloon floor reached.\n"
      "kernel: java invoked oom-killer: gfp_mask=0x140cca(GFP_HIGHUSER_MOVABLE), order=0\n");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::no_failure);
  EXPECT_THAT(test::ids(diagnosis.benign), testing::ElementsAre("oom-killer"));
}

TEST(Verdict, IsAnUnknownFailureIfTheShellReportsThatTheProgramWasKilled) {
  const auto verdict = verdict_of(std::string(kStart) + "^C\nKilled\n");
  EXPECT_EQ(verdict.answer, Answer::failed_unknown);
  EXPECT_EQ(verdict.failure->text, "Killed");
  EXPECT_EQ(verdict_of(std::string(kStart) + kForwards + "Killed\n").answer, Answer::works);
}

TEST(Verdict, OfAWorkingNicIsDegradedWithoutMemory) {
  const auto text =
      "mana 7870:00:00.0 eth2: Configured vPort 100 PD 5 DB 1\n"
      "ksoftirqd/2: page allocation failure: order:0, mode:0x40920(GFP_ATOMIC|__GFP_ZERO)\n";
  EXPECT_EQ(verdict_of(text).answer, Answer::degraded);
}

TEST(Verdict, IsWorkedUntilTheNetworkDidNotComeUpAgain) {
  const std::string nic =
      "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth0: Data path switched ";
  const auto diagnosis =
      diagnose_text(nic + "to VF: eth2\n" + nic + "from VF: eth2\n" +
                    "ifup[7755]: error: /etc/network/interfaces:14: unknown or no method\n"
                    "systemd[1]: Failed to start networking.service - Raise network interfaces.\n");
  EXPECT_EQ(diagnosis.verdict->answer, Answer::worked_until);
  EXPECT_EQ(test::root_id(diagnosis), "ifupdown-syntax");
  EXPECT_THAT(test::ids(diagnosis.consequences), testing::ElementsAre("network-service-failed"));
}

constexpr const char* kNic =
    "Jan 14 22:31:01 vm kernel: hv_netvsc f8615163-0000-1000-2000-000d3a71710e eth1: ";
constexpr const char* kRemoved =
    "Jan 14 22:40:00 vm kernel: hv_netvsc f8615163-0000-1000-2000-000d3a71710e eth1: VF slot 1 "
    "removed\n";
constexpr const char* kCrash =
    "Jan 14 22:40:01 vm kernel: dpdk-testpmd[88]: segfault at 18 ip 000055d0 sp 00007ffd error 4\n";
constexpr const char* kLater = "Jan 14 23:40:01 vm systemd[1]: Started Session 3 of user root.\n";

// A program that ended does not work on the synthetic path.
TEST(Verdict, IsAFailureIfTheProgramCrashedAfterTheRemovalOfItsVf) {
  const std::string begin = kNic + std::string("Data path switched to VF: enP30832s1\n") +
                            "Jan 14 22:32:00 vm testpmd[88]: EAL: Detected CPU lcores: 8\n";
  const auto crashed = diagnose_text(begin + kRemoved + kCrash + kLater);
  EXPECT_EQ(crashed.verdict->answer, Answer::failed);
  EXPECT_EQ(test::root_id(crashed), "hvnetvsc-vf-removed");
  EXPECT_THAT(test::ids(crashed.consequences), testing::ElementsAre("program-crashed"));
  const auto worked = diagnose_text(begin + kTraffic + kRemoved + kCrash + kLater);
  EXPECT_EQ(worked.verdict->answer, Answer::worked_until);
  EXPECT_EQ(test::root_id(worked), "hvnetvsc-vf-removed");
  EXPECT_EQ(verdict_of(begin + kCrash + kRemoved + kLater).answer, Answer::failed);
}

TEST(Verdict, IsDegradedIfTheProgramOfTheLastRunHasNotFailedAfterTheCause) {
  const std::string begin = kNic + std::string("Data path switched to VF: enP30832s1\n") +
                            "Jan 14 22:32:00 vm testpmd[88]: EAL: Detected CPU lcores: 8\n";
  const std::string early =
      "Jan 14 22:35:01 vm kernel: dpdk-testpmd[88]: segfault at 18 ip 55d0 sp 7ffd error 4\n";
  EXPECT_EQ(verdict_of(begin + early + kRemoved + kLater).answer, Answer::degraded);
  EXPECT_EQ(verdict_of(begin + kRemoved + early + kLater).answer, Answer::degraded);
  EXPECT_EQ(verdict_of(begin + kRemoved + kCrash + kStart + kLater).answer, Answer::degraded);
}

TEST(Verdict, IsDegradedIfTheFaultOfADriverLeavesTheSyntheticPath) {
  const std::string added = kNic + std::string("VF slot 1 added\n");
  const std::string fault = "kernel: mana 7870:00:00.0: Failed to establish HWC: -110\n";
  EXPECT_EQ(verdict_of(added + fault).answer, Answer::degraded);
  EXPECT_EQ(verdict_of(fault).answer, Answer::failed);
  EXPECT_EQ(verdict_of(added + fault + kStart).answer, Answer::failed);
  const std::string modprobe =
      "modprobe: FATAL: Module mana not found in directory /lib/modules/6\n";
  EXPECT_EQ(verdict_of(added + modprobe).answer, Answer::degraded);
  const std::string other =
      "modprobe: FATAL: Module mana_ib not found in directory /lib/modules/6\n";
  EXPECT_EQ(verdict_of(added + other).answer, Answer::failed);
}

// The kernel does not need RDMA.
TEST(Verdict, IsThatTheNicWorksIfOnlyProgramsHaveTheFault) {
  const std::string fault =
      "kernel: mana 7870:00:00.0 (null): Failed to register device, ret -71\n";
  const std::string used = kNic + std::string("Data path switched to VF: enP30832s1\n");
  const auto diagnosis = diagnose_text(used + fault);
  EXPECT_EQ(diagnosis.verdict->answer, Answer::works);
  EXPECT_EQ(test::root_id(diagnosis), "manaib-probe");
  EXPECT_EQ(verdict_of(fault).answer, Answer::degraded);
  EXPECT_EQ(verdict_of(used + fault + kStart).answer, Answer::degraded);
  EXPECT_EQ(verdict_of(used + fault + kStart + kCrash).answer, Answer::failed);
}

TEST(Verdict, OfAFailedSwitchFromTheVfIsAFailure) {
  const std::string failed = kNic + std::string("Data path failed to switch ");
  EXPECT_EQ(verdict_of(failed + "to VF: enP30832s1, err: -11\n").answer, Answer::degraded);
  EXPECT_EQ(verdict_of(failed + "from VF: enP30832s1, err: -11\n").answer, Answer::failed);
}

TEST(Verdict, OfSeveralLogsIsTheWorst) {
  const auto works = read_text(std::string(kStart) + kForwards);
  const auto fails = read_text(kRejected);
  const auto other = read_text("nginx: started\n");
  EXPECT_EQ(diagnose({}, {works, fails}).verdict->answer, Answer::failed);
  EXPECT_EQ(diagnose({}, {fails, works}).verdict->answer, Answer::failed);
  EXPECT_EQ(diagnose({}, {other, works}).verdict->answer, Answer::works);
}

TEST(UnknownErrors, HaveTwoLinesOfContextOnEachSide) {
  const auto diagnosis = diagnose_text("1\n2\n[ 3.0] three\nEAL: frobnicator failed\n5\n\n7\n");
  ASSERT_EQ(diagnosis.unknown.size(), 1U);
  const auto& context = diagnosis.unknown[0].context;
  ASSERT_EQ(context.size(), 4U);
  EXPECT_EQ(context[0].line, 2U);
  EXPECT_EQ(context[1].text, "three");
  EXPECT_EQ(context[2].line, 5U);
  EXPECT_EQ(context[3].text, "");
  EXPECT_THAT(diagnose_text("EAL: frobnicator failed").unknown[0].context, testing::IsEmpty());
}

}  // namespace
}  // namespace manactl::diag::verdict_test
