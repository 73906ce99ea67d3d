// SPDX-License-Identifier: MIT
//
// Diagnoses of tickets: logs with pasted commands. Each check runs on a ticket that has its facts,
// and must not fail on one that lacks them.

#include <gmock/gmock.h>

#include <set>

#include "base/text.h"
#include "diag/doctor.h"
#include "diag/logs.h"
#include "diag/ticket_causes.h"
#include "host/testpmd.h"

namespace manactl::diag::ticket_test {
namespace {

using test::ids;
using test::read_text;
using test::root_id;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

Diagnosis diagnose_ticket(const std::string& text) {
  const auto log = read_text(text);
  return diagnose(log.ticket.checks, {log}, log.ticket.observations);
}

std::vector<std::string> with_status(const std::string& text, Status status) {
  std::vector<std::string> found;
  for (const auto& outcome : read_text(text).ticket.checks.outcomes) {
    if (outcome.finding.status == status) found.emplace_back(outcome.check.id);
  }
  return found;
}

// ---- root causes --------------------------------------------------------------------------------

class TicketCauses : public testing::TestWithParam<CauseCase> {};

TEST_P(TicketCauses, AreFoundWithTheirLine) {
  const auto& one = GetParam();
  const auto diagnosis = diagnose_ticket(one.text);
  EXPECT_EQ(root_id(diagnosis), one.root);
  ASSERT_TRUE(diagnosis.verdict);
  EXPECT_EQ(is_failure(diagnosis.verdict->answer), !one.root.empty());
  if (!diagnosis.root) return;
  ASSERT_TRUE(diagnosis.root->quote);
  EXPECT_THAT(diagnosis.root->quote->text, HasSubstr(one.quote));
  EXPECT_EQ(diagnosis.root->quote->log, "test.log");
  EXPECT_THAT(diagnosis.root->cause, HasSubstr(one.detail));
  const auto lines = split(one.text, '\n');
  EXPECT_EQ(trim(lines.at(diagnosis.root->quote->line - 1)), diagnosis.root->quote->text);
  EXPECT_EQ(diagnosis.verdict->failure->line, diagnosis.root->quote->line);
}

// The same outputs in Markdown, without the end of the last one.
TEST_P(TicketCauses, AreTheSameWithinACodeBlock) {
  const auto& text = GetParam().text;
  EXPECT_EQ(root_id(diagnose_ticket("Hello,\n\n```console\n" + text + "```\n")), GetParam().root);
}

TEST_P(TicketCauses, AreNotInventedWhereverTheTicketIsCut) {
  const auto& one = GetParam();
  for (std::size_t size = 0; size < one.text.size(); ++size) {
    const auto root = root_id(diagnose_ticket(one.text.substr(0, size)));
    EXPECT_TRUE(root.empty() || root == one.root) << one.text.substr(0, size) << root;
  }
}

INSTANTIATE_TEST_SUITE_P(All, TicketCauses, testing::ValuesIn(kCauses), [](const auto& one) {
  return std::string(one.param.name);
});

// ---- every check --------------------------------------------------------------------------------

// A ticket about another part of the VM decides nothing about this one.
TEST(TicketChecks, RunOnlyWithTheirFacts) {
  for (const auto& one : kCauses) {
    const auto report = read_text(one.text).ticket;
    for (const auto& outcome : report.checks.outcomes) {
      EXPECT_NE(outcome.finding.status, Status::unknown) << one.name << outcome.check.id;
      EXPECT_NE(outcome.finding.status, Status::skipped) << one.name << outcome.check.id;
      EXPECT_TRUE(outcome.quote) << one.name << ' ' << outcome.check.id;
    }
  }
  EXPECT_THAT(with_status(kLspci + kEnd, Status::fail), IsEmpty());
  EXPECT_THAT(with_status(kLspci + kEnd, Status::pass),
              ElementsAre("hardware.mana", "hardware.driver", "kernel.mana"));
}

// These need facts that no output has, or examine this process.
TEST(TicketChecks, ExistForEveryCheckThatATicketCanDecide) {
  const std::set<std::string_view> undecidable = {
      "hardware.azure",   "hardware.coexistence", "interfaces.binding",   "interfaces.prepared",
      "interfaces.spare", "interfaces.unmanaged", "rdma.nodes",           "rdma.rights",
      "rdma.memlock",     "memory.node",          "memory.testpmd",       "kernel.fixes",
      "speed.vf-share",   "speed.drops",          "speed.timeouts",       "speed.interrupts",
      "speed.softirq",    "speed.kernel",         "move.kernels",         "move.rdma-kernels",
      "move.initramfs",   "move.signatures",      "move.managers",        "move.names",
      "move.programs",    "rdma.driver-id",       "kernel.uio-hv-generic"};
  std::set<std::string_view> decided;
  std::string all;
  for (const auto& one : kCauses) {
    for (const auto& outcome : read_text(one.text).ticket.checks.outcomes) {
      decided.insert(outcome.check.id);
    }
  }
  const auto dpdk = read_text(kUname + kLspci +
                              shell("dpkg -l | grep rte",
                                    "ii  librte-eal24:amd64 23.11.4-0ubuntu0.24.04.1 amd64 DPDK\n"
                                    "ii  librte-net-mana24:amd64 23.11.4-0ubuntu0 amd64 DPDK\n"));
  for (const auto& outcome : dpdk.ticket.checks.outcomes) decided.insert(outcome.check.id);
  for (const auto& check : all_checks()) {
    if (check.group() == "move" || check.group() == "speed") continue;
    EXPECT_NE(decided.contains(check.id), undecidable.contains(check.id)) << check.id;
  }
}

TEST(TicketChecks, AreNotMadeOfALogWithoutCommands) {
  const auto log = read_text(
      "[    0.0] Linux version 6.6.90-vyos (b@c) (gcc) #1 SMP\n"
      "[    2.2] pci 7870:00:00.0: [1414:00ba] type 00 class 0x020000 PCIe Endpoint\n");
  EXPECT_THAT(log.ticket.checks.outcomes, IsEmpty());
  EXPECT_THAT(log.ticket.outputs, IsEmpty());
}

TEST(TicketChecks, QuoteTheNewestOfEqualOutputs) {
  const auto lspci =
      shell("lspci", "0000:00:08.0 VGA compatible controller: Microsoft Hyper-V VGA\n");
  const auto log = read_text(kUname + lspci + lspci + kEnd);
  ASSERT_NE(log.ticket.checks.find("hardware.mana"), nullptr);
  EXPECT_EQ(log.ticket.checks.find("hardware.mana")->quote->line, 5U);
}

// A VM may have NICs without accelerated networking, so a missing VF is not a failure.
TEST(TicketChecks, DoNotFailForANicWithoutVf) {
  const auto text = kLspci +
                    shell("ip -d link",
                          "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state X\n"
                          "2: eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 state UP\n"
                          "    link/ether 00:00:5e:00:53:01 brd x parentbus vmbus "
                          "parentdev 00005e00-5301-0000-5e00-530100005e00\n") +
                    kEnd;
  EXPECT_THAT(with_status(text, Status::fail), IsEmpty());
  EXPECT_THAT(with_status(text, Status::warn),
              ElementsAre("interfaces.pairing", "interfaces.path"));
}

// The program of the ticket may use them.
TEST(TicketChecks, DoNotFailIfAllHugepagesAreInUse) {
  const auto log = read_text(kLspci + "HugePages_Total:    1024\nHugePages_Free:        0\n");
  EXPECT_EQ(log.ticket.checks.find("memory.hugepages"), nullptr);
  EXPECT_THAT(log.ticket.observations,
              Contains(testing::Field(&Observation::id, "all-hugepages-used")));
}

TEST(TicketChecks, DoNotJudgeThePackagesOfAnotherDpdk) {
  const auto packages = shell("dpkg -l | grep rte",
                              "ii  librte-eal23:amd64 22.11.0-1 amd64 DPDK\n"
                              "ii  librte-net-mana23:amd64 22.11.0-1 amd64 DPDK\n");
  const auto ticket = kUname + kLspci + packages;
  EXPECT_NE(read_text(ticket).ticket.checks.find("dpdk.fixes"), nullptr);
  EXPECT_EQ(
      read_text(ticket + "EAL: RTE Version: 'DPDK 24.11.2'\n").ticket.checks.find("dpdk.fixes"),
      nullptr);
}

TEST(TicketChecks, YieldToALogThatShowsThatManaWorks) {
  const auto working = test::sample("healthy-testpmd.log");
  const auto ticket =
      kLspci +
      shell("dpkg -l | grep ibverbs", "ii  libibverbs1:amd64  39.0-1  amd64  Library for RDMA\n") +
      kEnd;
  ASSERT_EQ(diagnose_ticket(working).verdict->answer, Answer::works);
  const auto log = read_text(working + ticket);
  EXPECT_THAT(log.ticket.unused, Contains(HasSubstr("rdma.core")));
  EXPECT_EQ(root_id(diagnose_ticket(working + ticket)), "");
}

TEST(TicketChecks, ConfirmTheErrorsOfTheSameTicket) {
  const auto diagnosis = diagnose_ticket("mana_dev_start(): failed to start tx queues -19\n" +
                                         kLspci + links(",UP,LOWER_UP", ",UP,LOWER_UP") + kEnd);
  ASSERT_EQ(root_id(diagnosis), "mana-start-tx-enodev");
  EXPECT_EQ(diagnosis.root->confirmation, Confirmation::confirmed);
  EXPECT_THAT(diagnosis.root->confirmed_by, HasSubstr("enP30832s1 of eth1 is up"));
}

// testpmd of this size is what `check` and `prepare` reserve pages for.
TEST(TicketChecks, RecommendAsManyHugepagesAsTestpmdNeeds) {
  const auto log = read_text(kLspci +
                             shell("grep -i huge /proc/meminfo",
                                   "HugePages_Total:       0\nHugePages_Free:        0\n"
                                   "Hugetlb:     0 kB\n") +
                             kEnd);
  const auto* const outcome = log.ticket.checks.find("memory.hugepages");
  ASSERT_NE(outcome, nullptr);
  ASSERT_TRUE(outcome->finding.remedy);
  EXPECT_THAT(
      outcome->finding.remedy->commands,
      Contains(host::reserve_command({}, -1, host::size_of_testpmd({}, -1).hugepage_bytes)));
}

TEST(TicketChecks, AreNotAboutManaIfOnlyAnotherNicIsListed) {
  for (const auto& text :
       {shell("lspci -k",
              "d8c9:00:02.0 Ethernet controller: Mellanox Technologies MT27710 Family "
              "[ConnectX-4 Lx Virtual Function]\n\tKernel driver in use: mlx5_core\n"),
        shell(
            "dpdk-devbind.py -s",
            "d8c9:00:02.0 'MT27710 Family 1016' if=enP55497s1 drv=mlx5_core unused=vfio-pci\n")}) {
    EXPECT_EQ(diagnose_ticket(text + kEnd).verdict->answer, Answer::not_mana) << text;
  }
}

TEST(TicketChecks, MakeALogOneAboutMana) {
  EXPECT_EQ(
      diagnose_ticket(shell("ethtool -i enP30832s1 | head -1", "driver: mana\n")).verdict->answer,
      Answer::no_failure);
  EXPECT_EQ(diagnose_ticket("hello\n").verdict->answer, Answer::not_mana);
  EXPECT_EQ(diagnose_ticket(kLspci + kEnd).verdict->answer, Answer::no_failure);
}

// ---- reading ------------------------------------------------------------------------------------

TEST(TicketScan, NumbersLinesOverManyBlocks) {
  std::string text;
  for (int i = 0; i < 50000; ++i) text += "nothing of interest\n";
  for (const std::size_t piece : {1000U, 65536U}) {
    const auto log = read_text(text + kCauses[1].text, piece);
    ASSERT_NE(log.ticket.checks.find("hardware.mana"), nullptr);
    EXPECT_EQ(log.ticket.checks.find("hardware.mana")->quote->line, 50003U);
  }
}

TEST(TicketScan, ReadsAnOutputThatContinuesInTheNextBlock) {
  const std::string row = "unrelated             16384  0\n";
  std::string modules = "Module                  Size  Used by\n";
  while (modules.size() < (600U << 10U)) modules += row;
  const auto log = read_text(kLspci + shell("lsmod", modules + "mana  110592  0\n") + kEnd);
  EXPECT_NE(log.ticket.checks.find("kernel.mana-ib"), nullptr);
}

// The reader keeps no lines: a repeated block states the same again and again.
TEST(TicketScan, StopsAfterVeryManyOutputs) {
  std::string text;
  const auto block = kUname + kLspci + links(",UP,LOWER_UP", ",UP,LOWER_UP");
  while (text.size() < (8U << 20U)) text += block;
  const auto log = read_text(text);
  EXPECT_THAT(log.ticket.checks.outcomes, IsEmpty());
  EXPECT_THAT(log.ticket.unused, Contains(HasSubstr("more than 4000")));
}

// The counters of one machine show nothing about the other.
TEST(OutputsOfSeveralMachines, ShowNeitherSuccessNorFailure) {
  const auto counters = [](const std::string& mac, int packets) {
    return "# ethtool -S eth0 | grep vf_\n     vf_rx_packets: " + std::to_string(packets) +
           "\n     vf_tx_packets: " + std::to_string(packets) +
           "\n# ip -br link\neth0             UP             " + mac +
           " <BROADCAST,MULTICAST,UP,LOWER_UP> \n";
  };
  const std::string mac = "00:0d:3a:44:45:33";
  const auto one = test::diagnose_text(counters(mac, 90112033) + counters(mac, 90212033));
  EXPECT_EQ(one.verdict->answer, Answer::works);
  const auto two =
      test::read_text(counters(mac, 90112033) + counters("00:0d:3a:44:9f:02", 90212033));
  EXPECT_THAT(two.ticket.unused, testing::ElementsAre(testing::HasSubstr("several MAC addresses")));
  EXPECT_EQ(diagnose(Report{}, {two}).verdict->answer, Answer::no_failure);
}

}  // namespace
}  // namespace manactl::diag::ticket_test
