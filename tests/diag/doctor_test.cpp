// SPDX-License-Identifier: MIT

#include "diag/doctor.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <map>

#include "diag/logs.h"

namespace manactl::diag::doctor_test {
namespace {

using test::diagnose_text;
using test::ids;
using test::read_text;
using test::root_id;
using testing::UnorderedElementsAre;

constexpr const char* kClash = "mana_probe_port(): ibv_alloc_parent_domain failed port 2\n";
constexpr const char* kNoVf = "hn_vf_attach(): Couldn't find port for VF\n";

CheckOutcome outcome(std::string_view id,
                     Finding finding,
                     std::span<const std::string_view> caused_by = {}) {
  return {Check{id, "title", "problem", Requirement::none, Use::both, nullptr, caused_by},
          std::move(finding)};
}

Finding broken(const std::string& detail) {
  return fail(detail, {"repair it", {"repair"}});
}

constexpr std::array<std::string_view, 1> kByModule = {"kernel.mana-ib"};
constexpr std::array<std::string_view, 1> kByCore = {"rdma.core"};
constexpr std::array<std::string_view, 1> kByDevices = {"rdma.devices"};

TEST(Doctor, HasNoRootCauseWithoutFailures) {
  const auto diagnosis = diagnose({{outcome("a.b", pass("fine"))}}, {});
  EXPECT_FALSE(diagnosis.root);
  EXPECT_TRUE(diagnosis.consequences.empty());
}

TEST(Doctor, FindsTheFirstFailedCheckOfAChainWithoutLogs) {
  const Report checks{{outcome("rdma.driver-id", broken("no device"), kByDevices),
                       outcome("rdma.devices", broken("none"), kByModule),
                       outcome("kernel.mana-ib", broken("not loaded"))}};
  const auto diagnosis = diagnose(checks, {});
  EXPECT_EQ(root_id(diagnosis), "kernel.mana-ib");
  EXPECT_EQ(diagnosis.root->commands, std::vector<std::string>{"repair"});
  EXPECT_THAT(ids(diagnosis.consequences), UnorderedElementsAre("rdma.driver-id", "rdma.devices"));
}

TEST(Doctor, KeepsIndependentFailedChecksApart) {
  const Report checks{{outcome("a.one", broken("1")), outcome("a.two", broken("2"))}};
  const auto diagnosis = diagnose(checks, {});
  EXPECT_EQ(root_id(diagnosis), "a.one");
  EXPECT_THAT(ids(diagnosis.others), UnorderedElementsAre("a.two"));
}

TEST(Doctor, ConfirmsALogWithACheckAndReportsThemOnce) {
  const Report checks{{outcome("rdma.driver-id", broken("kernel 19, rdma-core 20"))}};
  const auto diagnosis = diagnose(checks, {read_text(kClash)});
  ASSERT_EQ(root_id(diagnosis), "mana-alloc-parent-domain");
  EXPECT_EQ(diagnosis.root->confirmation, Confirmation::confirmed);
  EXPECT_EQ(diagnosis.root->confirmed_by, "rdma.driver-id: kernel 19, rdma-core 20");
  EXPECT_EQ(diagnosis.root->commands, std::vector<std::string>{"repair"});
  EXPECT_TRUE(diagnosis.others.empty());
  EXPECT_TRUE(diagnosis.consequences.empty());
}

TEST(Doctor, TakesTheRemedyOfTheCheckThatConfirmsTheCause) {
  const Report checks{{outcome("rdma.core", broken("rdma-core 42")),
                       outcome("rdma.driver-id", broken("no provider"), kByCore)}};
  const auto root = diagnose(checks, {read_text(kClash)}).root.value();
  EXPECT_EQ(root.fix, "repair it");
  EXPECT_EQ(root.commands, std::vector<std::string>{"repair"});
  std::vector<std::string> confirmed;
  for (const auto& one : root.alternatives) {
    if (one.confirmation == Confirmation::confirmed) confirmed.push_back(one.confirmed_by);
  }
  EXPECT_THAT(confirmed, testing::ElementsAre("rdma.core: rdma-core 42"));
}

TEST(Doctor, TakesNoCommandsIfTheRemedyOfTheCheckHasNone) {
  const std::string log = "hn_vf_attach(): Couldn't find port for VF\n";
  const Report checks{{outcome("kernel.mana-ib", fail("missing", {"use another release", {}}))}};
  const auto root = diagnose(checks, {read_text(log)}).root.value();
  EXPECT_EQ(root.fix, "use another release");
  EXPECT_THAT(root.commands, testing::IsEmpty());
}

TEST(Doctor, ChoosesTheRemedyForAMissingModuleByTheKernelInTheLine) {
  const auto root_of = [](const std::string& kernel) {
    const auto log = fmt::format(
        "modprobe: FATAL: Module mana_ib not found in directory /lib/modules/{}\n", kernel);
    return diagnose_text(log).root.value();
  };
  EXPECT_THAT(root_of("6.6.104.2-4.azl3").fix, testing::StartsWith("use Azure Linux 4"));
  EXPECT_THAT(
      root_of("5.14.0-427.13.1.el9_4.x86_64").commands,
      testing::Contains("dnf install -y kernel-modules-extra-5.14.0-427.13.1.el9_4.x86_64"));
  EXPECT_THAT(root_of("6.1.0-32-own").fix, testing::StartsWith("Install the package"));
}

TEST(Doctor, KeepsARootCauseThatTheVmContradictsIfThereIsNoOther) {
  const Report checks{
      {outcome("rdma.driver-id", pass("both 20")), outcome("rdma.provider", pass("mana"))}};
  const auto diagnosis = diagnose(checks, {read_text(kClash)});
  ASSERT_EQ(root_id(diagnosis), "mana-alloc-parent-domain");
  EXPECT_EQ(diagnosis.root->confirmation, Confirmation::contradicted);
  EXPECT_EQ(diagnosis.root->confirmed_by, "rdma.driver-id: title: both 20");
}

TEST(Doctor, PrefersAFailedCheckToALogThatTheVmContradicts) {
  const Report checks{{outcome("rdma.driver-id", pass("both 20")),
                       outcome("memory.hugepages", broken("none free"))}};
  const auto diagnosis = diagnose(checks, {read_text(kClash)});
  EXPECT_EQ(root_id(diagnosis), "memory.hugepages");
  EXPECT_THAT(ids(diagnosis.others), UnorderedElementsAre("mana-alloc-parent-domain"));
}

TEST(Doctor, CannotConfirmWithChecksThatAreUnknown) {
  const Report checks{
      {outcome("rdma.driver-id", unknown("no rights")), outcome("rdma.provider", pass("x"))}};
  const auto diagnosis = diagnose(checks, {read_text(kClash)});
  ASSERT_TRUE(diagnosis.root);
  EXPECT_EQ(diagnosis.root->confirmation, Confirmation::undecided);
  EXPECT_EQ(diagnosis.root->confirmed_by, "");
}

TEST(Doctor, DecidesBetweenPossibleCausesByTheLineAndTheVm) {
  const auto decisions = [](const std::string& log, const Report& checks = {}) {
    const auto diagnosis =
        diagnose(checks, {read_text(log)}, {{"user-space-nic", "eth1 is in user space", {}}});
    std::vector<std::string> by;
    for (const auto& one : diagnosis.root.value().alternatives) by.push_back(one.confirmed_by);
    return by;
  };
  const std::string start = "mana_dev_start(): failed to start tx queues -";
  const std::string line = "the line contains '-110'";
  EXPECT_THAT(decisions(start + "110\n"), testing::Each(line));
  const auto memory = decisions(start + "12\n", {{outcome("rdma.memlock", broken("64 kB"))}});
  ASSERT_GT(memory.size(), 3U);
  EXPECT_EQ(memory[0], "the line contains '-12'");
  EXPECT_EQ(memory[1], "rdma.memlock: 64 kB");
  EXPECT_EQ(memory[2], "");
  const auto nic = decisions("VDEV_NETVSC: Cannot find the specified netvsc device\n");
  EXPECT_THAT(nic, testing::ElementsAre("", "eth1 is in user space"));
}

TEST(Doctor, DecidesByTheChecksWhyNoHugepagesAreUsable) {
  const auto confirmed_causes = [](const std::string& log, const Report& checks) {
    std::map<std::string, Confirmation> causes;
    const std::vector<LogReport> logs = {read_text(log)};
    const auto root = diagnose(checks, logs).root.value();
    for (const auto& one : root.alternatives) causes[one.cause] = one.confirmation;
    return causes;
  };
  const std::string fatal = "EAL: Cannot get hugepage information.\n";
  const Report wrong_node{{outcome("memory.hugepages", pass("1024 of 1024 free")),
                           outcome("memory.node", broken("0 free on node 0"))}};
  const auto node =
      confirmed_causes("EAL: No free 2048 kB hugepages reported on node 0\n" + fatal, wrong_node);
  EXPECT_EQ(node.at("they are on another NUMA node"), Confirmation::confirmed);
  EXPECT_EQ(node.at("other programs use all of them"), Confirmation::contradicted);
  const Report usable{{outcome("memory.hugepages", pass("1024 of 1024 free")),
                       outcome("memory.mounts", pass("/dev/hugepages (2 MiB)"))}};
  const auto mounts = confirmed_causes(fatal, usable);
  EXPECT_EQ(mounts.at("hugetlbfs is not mounted"), Confirmation::contradicted);
  EXPECT_EQ(mounts.at("all hugepages are in use"), Confirmation::contradicted);
  EXPECT_EQ(mounts.at("the user may not write to the mount"), Confirmation::undecided);
}

TEST(Doctor, PrintsTheFixOfTheOnlyConfirmedCause) {
  const auto diagnosis_of = [](const char* type) {
    return diagnose_text(
        fmt::format("MANA_DRIVER: mana_tx_comp_oob cqe_type {} vendor_err 0\n", type));
  };
  const auto fix_of = [&](const char* type) { return diagnosis_of(type).root.value().fix; };
  EXPECT_THAT(fix_of("33"), testing::StartsWith("Send only with the MAC address of this NIC"));
  EXPECT_THAT(fix_of("34"), testing::StartsWith("Send smaller packets"));
  EXPECT_FALSE(diagnosis_of("99").root) << "no known cause has this number";
}

TEST(Doctor, ReportsChecksWithTheSameCauseAsALogAsConsequences) {
  const Report checks{{outcome("kernel.mana-ib", broken("not loaded")),
                       outcome("rdma.devices", broken("none"), kByModule)}};
  const auto diagnosis = diagnose(checks, {read_text(kNoVf)});
  ASSERT_EQ(root_id(diagnosis), "netvsc-vf-not-found");
  EXPECT_EQ(diagnosis.root->confirmed_by, "kernel.mana-ib: not loaded");
  EXPECT_THAT(ids(diagnosis.consequences), UnorderedElementsAre("rdma.devices"));
}

TEST(Doctor, ListsConsequencesInTheOrderOfTheLog) {
  Report checks{{outcome("kernel.mana-ib", broken("not loaded")),
                 outcome("rdma.devices", broken("none"), kByModule),
                 outcome("rdma.driver-id", broken("none"), kByModule)}};
  checks.outcomes[2].quote = Quote{"", 1, "# ls /sys/class/infiniband"};
  const auto diagnosis =
      diagnose(checks,
               {read_text("\n" + std::string(kNoVf) +
                          "EAL: Requested device 7870:00:00.0 cannot be used\n")});
  ASSERT_EQ(root_id(diagnosis), "netvsc-vf-not-found");
  EXPECT_THAT(ids(diagnosis.consequences),
              testing::ElementsAre("rdma.driver-id", "eal-device-probe-failed", "rdma.devices"));
}

TEST(Doctor, NeverReportsAConsequenceAsTheRootCause) {
  const auto diagnosis = diagnose_text(
      "EAL: Requested device 7870:00:00.0 cannot be used\nEAL: Bus (pci) probe failed.\n");
  EXPECT_FALSE(diagnosis.root);
  EXPECT_THAT(ids(diagnosis.consequences),
              UnorderedElementsAre("eal-device-probe-failed", "eal-bus-failed"));
}

TEST(Doctor, ReportsASymptomAsTheRootCauseIfItIsTheOnlyOne) {
  EXPECT_EQ(root_id(diagnose_text(kNoVf)), "netvsc-vf-not-found");
  EXPECT_EQ(root_id(diagnose_text("testpmd: No probed ethernet devices\n")), "testpmd-no-ports");
}

TEST(Doctor, IgnoresAMissingVfThatAppearedLater) {
  const std::string found = "hn_vf_attach(): found matching VF port 1\n";
  EXPECT_FALSE(diagnose_text(kNoVf + found).root);
  EXPECT_EQ(root_id(diagnose_text(found + kNoVf)), "netvsc-vf-not-found");
}

TEST(Doctor, JudgesABusyPortByItsErrno) {
  const std::string line =
      "hv_netvsc 6045bdc0-bd67-6045-bdc0-bd676045bdc0 eth1: unable to open slave: enP30832s1: ";
  EXPECT_FALSE(diagnose_text(line + "-16\n").root);
  EXPECT_EQ(root_id(diagnose_text(line + "-71\n")), "hvnetvsc-slave-open");
  const auto both = diagnose_text(line + "-16\n" + line + "-71\n");
  EXPECT_EQ(root_id(both), "hvnetvsc-slave-open");
  EXPECT_EQ(both.root->quote->line, 2U);
}

TEST(Doctor, ChoosesTheCauseOfHigherRankInAnyOrder) {
  const std::string busy = "mana_dev_start(): failed to start tx queues -19\n";
  for (const auto& log : {busy + kClash, kClash + busy}) {
    const auto diagnosis = diagnose_text(log);
    EXPECT_EQ(root_id(diagnosis), "mana-alloc-parent-domain") << log;
    EXPECT_THAT(ids(diagnosis.others), UnorderedElementsAre("mana-start-tx-enodev")) << log;
  }
}

TEST(Doctor, PrefersAConfirmedCauseToOneOfHigherRank) {
  const std::vector<Observation> observations = {
      {"port-busy", "VF x is up", {"ip link set dev x down"}}};
  const auto diagnosis = diagnose(
      {},
      {read_text(std::string(kClash) + "mana_dev_start(): failed to start tx queues -19\n")},
      observations);
  ASSERT_EQ(root_id(diagnosis), "mana-start-tx-enodev");
  EXPECT_EQ(diagnosis.root->confirmed_by, "VF x is up");
  EXPECT_EQ(diagnosis.root->commands, std::vector<std::string>{"ip link set dev x down"});
}

TEST(Doctor, CountsALineOverAllLogs) {
  const auto diagnosis = diagnose(Report{}, {read_text(kClash), read_text(kClash)});
  EXPECT_EQ(diagnosis.root->count, 2U);
  EXPECT_EQ(diagnosis.lines, 2U);
}

constexpr const char* kKernelFault = "mana 7870:00:00.0: Failed to establish HWC: -110\n";

LogReport read_as(const std::string& name, const std::string& text) {
  test::TextSource source(text, 4096);
  return read_log(source, name, test::signatures()).value();
}

TEST(Doctor, ExplainsALineByTheSameLogOrByThatOfTheKernel) {
  const std::string failed_probe = "EAL: Requested device 7870:00:00.0 cannot be used\n";
  const auto both = diagnose({}, {read_as("a.log", kClash + failed_probe)});
  EXPECT_THAT(ids(both.consequences), UnorderedElementsAre("eal-device-probe-failed"));
  const auto apart = diagnose({}, {read_as("a.log", kClash), read_as("b.log", failed_probe)});
  EXPECT_EQ(root_id(apart), "mana-alloc-parent-domain");
  EXPECT_TRUE(apart.consequences.empty());
  EXPECT_THAT(ids(apart.unexplained), UnorderedElementsAre("eal-device-probe-failed"));
  const auto kernel =
      diagnose({}, {read_as("dmesg", kKernelFault), read_as("b.log", failed_probe)});
  EXPECT_EQ(root_id(kernel), "manako-hwc-setup");
  EXPECT_THAT(ids(kernel.consequences), UnorderedElementsAre("eal-device-probe-failed"));
}

TEST(Doctor, AttachesALineToAFailedCheckOnlyIfTheyAreRelated) {
  const std::string log = "EAL: Requested device 7870:00:00.0 cannot be used\n";
  const auto diagnosis =
      diagnose({{outcome("memory.hugepages", broken("none free"))}}, {read_text(log)});
  EXPECT_EQ(root_id(diagnosis), "memory.hugepages");
  EXPECT_TRUE(diagnosis.consequences.empty());
  EXPECT_THAT(ids(diagnosis.unexplained), UnorderedElementsAre("eal-device-probe-failed"));
}

TEST(Doctor, NotesWhetherTheReleaseOfTheLogHasTheFix) {
  const std::string line =
      "ETHDEV: Ethernet device with name 7870:00:00.0_port1 already allocated\n";
  const auto note = [&line](const std::string& release) {
    return diagnose_text("EAL: RTE Version: 'DPDK " + release + "'\n" + line).root->note;
  };
  EXPECT_THAT(note("24.11.2"), testing::HasSubstr("lacks a fix that is in 22.11.9"));
  EXPECT_THAT(note("24.11.3"), testing::HasSubstr("already has the DPDK fix"));
}

TEST(Doctor, NotesThatTheReleaseDoesNotPrintTheLine) {
  const auto diagnosis =
      diagnose_text("EAL: RTE Version: 'DPDK 26.03.0'\n" + std::string(kNoVf) +
                    "hn_vf_add(): RNDIS reports VF but device not found, retrying\n");
  ASSERT_EQ(diagnosis.consequences.size(), 1U);
  EXPECT_THAT(diagnosis.consequences[0].note, testing::HasSubstr("does not print this line"));
  EXPECT_EQ(diagnosis.root->note, "");
}

}  // namespace
}  // namespace manactl::diag::doctor_test
