// SPDX-License-Identifier: MIT

#include "diag/readiness.h"
#include "diag/vm.h"

namespace manactl::diag::move_checks_test {
namespace {

using test::healthy_vm;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr CheckOptions kForecast = {.forecast = true};

Finding run_check(const host::Facts& facts, std::string_view id) {
  return test::run_check(facts, id, kForecast);
}

// Two functions of Mellanox, and nothing that speaks against MANA.
host::Facts mlx5_vm() {
  auto facts = healthy_vm();
  for (auto& function : *facts.functions) {
    function.adapter = host::Adapter::mlx;
    function.driver = "mlx5_core";
  }
  facts.move.emplace();
  facts.move->kernels = std::vector<host::InstalledKernel>{{facts.kernel->release, true}};
  facts.move->next_kernel = host::NextKernel{facts.kernel->release, "the newest"};
  facts.move->management = host::Management{true, "no network manager is running"};
  return facts;
}

TEST(MoveChecks, NeedAnAzureVmWithoutMana) {
  EXPECT_EQ(run_check(healthy_vm(), "move.names").detail, "the VM has MANA");
  auto facts = mlx5_vm();
  EXPECT_EQ(run_check(facts, "move.names").status, Status::pass);
  EXPECT_EQ(test::run_check(facts, "move.names").detail, "no MANA function");
  EXPECT_EQ(test::run_check(facts, "kernel.mana").detail, "no MANA function");
  facts.platform = host::Platform{false, true, ""};
  EXPECT_EQ(run_check(facts, "move.names").detail, "not an Azure VM");
  EXPECT_EQ(run_check(facts, "kernel.mana").detail, "not an Azure VM");
  facts.platform = test::unreadable();
  EXPECT_EQ(run_check(facts, "move.names").status, Status::unknown);
}

TEST(MoveKernels, WarnsOfAKernelWithoutMana) {
  auto facts = mlx5_vm();
  EXPECT_EQ(run_check(facts, "move.kernels").status, Status::skipped);
  facts.move->kernels->push_back({"6.9.0", false, {"mana_ib"}});
  EXPECT_EQ(run_check(facts, "move.kernels").status, Status::pass);
  EXPECT_EQ(run_check(facts, "move.rdma-kernels").status, Status::warn);
  facts.move->kernels->push_back({"5.4.0", false, {"mana", "mana_ib"}});
  EXPECT_EQ(run_check(facts, "move.kernels").status, Status::warn);
  EXPECT_EQ(run_check(facts, "move.kernels").detail, "5.4.0 lacks mana");
  EXPECT_THAT(run_check(facts, "move.rdma-kernels").detail, Not(HasSubstr("5.4.0")));
  facts.move->kernels = test::unreadable();
  EXPECT_EQ(run_check(facts, "move.kernels").status, Status::unknown);
  EXPECT_EQ(run_check(facts, "move.rdma-kernels").status, Status::unknown);
}

TEST(MoveKernels, NameTheCommandsThatInstallTheRdmaDrivers) {
  auto facts = mlx5_vm();
  facts.kernel->distribution = "ubuntu";
  facts.kernel->machine = "x86_64";
  facts.move->kernels->push_back({"6.8.0-1044-azure", false, {"mana_ib"}});
  facts.move->kernels->push_back({"6.8.0-1045-azure", false, {"uio_hv_generic"}});
  EXPECT_THAT(run_check(facts, "move.rdma-kernels").remedy->commands,
              testing::ElementsAre("apt-get update",
                                   "apt-get install -y linux-modules-extra-6.8.0-1044-azure",
                                   "apt-get install -y linux-modules-extra-6.8.0-1045-azure"));
}

TEST(MoveKernels, FailsForTheKernelOfTheNextBoot) {
  auto facts = mlx5_vm();
  facts.move->kernels->push_back({"6.9.0", false, {"hv_netvsc"}});
  facts.move->kernels->push_back({"6.10.0", false, {"uio_hv_generic", "pci_hyperv"}});
  facts.move->next_kernel = host::NextKernel{"6.9.0", "/boot/grub/grubenv has saved_entry=6.9.0"};
  const auto finding = run_check(facts, "move.kernels");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(finding.reason, "6.9.0, the kernel of the next boot, lacks hv_netvsc");
  EXPECT_THAT(finding.evidence, testing::Contains(HasSubstr("saved_entry=6.9.0")));
  EXPECT_EQ(run_check(facts, "move.rdma-kernels").detail, "6.10.0 lacks uio_hv_generic");
  facts.move->next_kernel = manactl::fail(Errc::invalid, "the next kernel is unknown");
  EXPECT_EQ(run_check(facts, "move.kernels").status, Status::warn);
}

TEST(MovePlatform, NeedsTheMetadata) {
  auto facts = mlx5_vm();
  EXPECT_EQ(run_check(facts, "move.platform").status, Status::skipped);
  facts.metadata = manactl::fail(Errc::timeout, "the metadata service at 127.0.0.1: no reply");
  EXPECT_EQ(run_check(facts, "move.platform").status, Status::unknown);
  EXPECT_EQ(run_check(facts, "move.platform").detail,
            "the metadata service at 127.0.0.1: no reply");
  facts.metadata =
      host::InstanceMetadata{"Standard_D4s_v5", false, manactl::fail(Errc::timeout, "no reply")};
  const auto finding = run_check(facts, "move.platform");
  EXPECT_EQ(finding.status, Status::unknown);
  EXPECT_EQ(finding.detail,
            "Standard_D4s_v5 (Dsv5) may move to MANA since 2026-05-26; scheduled events: no reply");
}

TEST(MovePlatform, WarnsOfAnEventThatMayMoveTheVm) {
  auto facts = mlx5_vm();
  host::InstanceMetadata metadata{"Standard_D32-8s_v3", true, {}};
  facts.metadata = metadata;
  const auto quiet = run_check(facts, "move.platform");
  EXPECT_EQ(quiet.status, Status::pass);
  EXPECT_EQ(quiet.detail,
            "Standard_D32-8s_v3 (Dsv3) may move to MANA since 2026-08-06; no scheduled events");
  EXPECT_THAT(quiet.evidence,
              ElementsAre(HasSubstr("until 2027-05-31 if it was set before 2026-")));
  metadata.events->push_back({"Terminate", "Mon, 19 Sep 2016 18:29:47 GMT"});
  facts.metadata = metadata;
  EXPECT_EQ(run_check(facts, "move.platform").status, Status::pass) << "it does not move the VM";
  metadata.events->push_back({"Redeploy", ""});
  facts.metadata = metadata;
  const auto warning = run_check(facts, "move.platform");
  EXPECT_EQ(warning.status, Status::warn);
  EXPECT_THAT(warning.detail, HasSubstr("Terminate not before Mon, 19 Sep"));
  EXPECT_THAT(warning.detail, HasSubstr("Redeploy has begun"));
}

TEST(MovePlatform, IgnoresEventsOfAVmThatNeverMoves) {
  auto facts = mlx5_vm();
  host::InstanceMetadata metadata{"Standard_D4as_v5", false, {}};
  metadata.events->push_back({"Redeploy", ""});
  facts.metadata = metadata;
  const auto finding = run_check(facts, "move.platform");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.detail, HasSubstr("Standard_D4as_v5 is of no series that moves to MANA"));
  EXPECT_THAT(finding.evidence, ElementsAre("the tag LegacyVMNVA is not set"));
  auto on_mana = healthy_vm();
  on_mana.metadata = metadata;
  EXPECT_EQ(run_check(on_mana, "move.platform").status, Status::warn) << "it may move back";
}

TEST(MovePlatform, DoesNotDecideWhetherTheVmIsReady) {
  for (auto facts : {mlx5_vm(), healthy_vm()}) {
    facts.metadata = test::unreadable();
    const auto report = run_checks(facts, kForecast, {});
    EXPECT_EQ(report->find("move.platform")->finding.status, Status::unknown);
    EXPECT_EQ(readiness_for(Use::kernel, facts, *report).ready, true);
  }
}

TEST(MoveInitramfs, NamesTheCommandsOfTheDistribution) {
  auto facts = mlx5_vm();
  facts.move->network_option = "root=/dev/nfs";
  facts.move->kernels->at(0).initramfs_lacks = std::vector<std::string>{"mana", "hv_netvsc"};
  facts.move->kernels->push_back({"6.9.0", false, {}});
  facts.move->kernels->back().initramfs_lacks = std::vector<std::string>{"mana"};
  const auto running = facts.move->kernels->at(0).release;
  const auto commands = [&facts](const char* distribution) {
    facts.kernel->distribution = distribution;
    return run_check(facts, "move.initramfs").remedy->commands;
  };
  EXPECT_THAT(
      commands("ubuntu"),
      testing::ElementsAre("printf '%s\\n' hv_netvsc mana | tee -a /etc/initramfs-tools/modules",
                           "update-initramfs -u -k " + running,
                           "update-initramfs -u -k 6.9.0"));
  EXPECT_THAT(commands("rhel"),
              testing::ElementsAre("printf '%s\\n' 'add_drivers+=\" hv_netvsc mana \"' | tee "
                                   "/etc/dracut.conf.d/90-azure-nics.conf",
                                   "dracut --force --kver " + running,
                                   "dracut --force --kver 6.9.0"));
  EXPECT_THAT(commands("other"), testing::IsEmpty());
}

TEST(MoveInitramfs, MattersIfItNeedsTheNetwork) {
  auto facts = mlx5_vm();
  auto& kernel = facts.move->kernels->at(0);
  kernel.initramfs_lacks = std::vector<std::string>{"hv_netvsc"};
  EXPECT_EQ(run_check(facts, "move.initramfs").status, Status::skipped);
  facts.move->network_option = "root=/dev/nfs";
  EXPECT_EQ(run_check(facts, "move.initramfs").status, Status::fail);
  kernel.initramfs_lacks = std::vector<std::string>{"mana"};
  EXPECT_EQ(run_check(facts, "move.initramfs").status, Status::warn) << "the synthetic path works";
  kernel.initramfs_lacks = std::vector<std::string>{};
  EXPECT_EQ(run_check(facts, "move.initramfs").status, Status::pass);
  kernel.initramfs_lacks = test::unreadable();
  EXPECT_EQ(run_check(facts, "move.initramfs").status, Status::unknown);
}

TEST(MoveSignatures, MatterWithSecureBoot) {
  auto facts = mlx5_vm();
  EXPECT_EQ(run_check(facts, "move.signatures").status, Status::skipped);
  facts.move->secure_boot = true;
  EXPECT_EQ(run_check(facts, "move.signatures").status, Status::pass);
  facts.move->kernels->push_back({"6.9.0", false, {}, {"mana"}});
  EXPECT_EQ(run_check(facts, "move.signatures").status, Status::warn);
  facts.move->next_kernel->release = "6.9.0";
  EXPECT_EQ(run_check(facts, "move.signatures").status, Status::fail);
  facts.move->secure_boot = test::unreadable();
  EXPECT_EQ(run_check(facts, "move.signatures").status, Status::unknown);
}

TEST(KernelMana, OnlyWarnsIfAnotherKernelStartsNext) {
  auto facts = mlx5_vm();
  test::module(facts, "mana").presence = Presence::missing;
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::fail);
  facts.move->next_kernel->release = "6.9.0";
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::warn);
  test::module(facts, "mana").presence = Presence::blacklisted;
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::fail) << "for every kernel";
}

TEST(Hugepages, MayBeInUseBeforeTheMove) {
  auto facts = mlx5_vm();
  for (auto& pool : *facts.memory.pools) pool.free = 0;
  EXPECT_EQ(run_check(facts, "memory.hugepages").status, Status::pass);
  for (auto& pool : *facts.memory.pools) pool.total = 0;
  EXPECT_EQ(run_check(facts, "memory.hugepages").status, Status::fail);
}

TEST(MoveManagers, FailsIfTheVfWouldBeManaged) {
  auto facts = mlx5_vm();
  EXPECT_EQ(run_check(facts, "move.managers").status, Status::pass);
  facts.move->management = host::Management{false, "no rule"};
  const auto finding = run_check(facts, "move.managers");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(test::commands_of(finding),
              testing::AllOf(HasSubstr("driver:mana"), HasSubstr("Driver=mana")));
  facts.move->management = host::Management{true, "only if the VF has joined", true};
  EXPECT_EQ(run_check(facts, "move.managers").status, Status::warn);
  facts.move->management = test::unreadable();
  EXPECT_EQ(run_check(facts, "move.managers").status, Status::unknown);
}

TEST(MoveNames, WarnsWithFileAndLine) {
  auto facts = mlx5_vm();
  facts.move->network.mentions.push_back({"etc/netplan/50.yaml", 7, "mlx5_core"});
  facts.move->network.unread.emplace_back("etc/netplan/90.yaml");
  const auto finding = run_check(facts, "move.names");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail, "/etc/netplan/50.yaml:7 names mlx5_core");
  EXPECT_THAT(finding.evidence, testing::Contains("/etc/netplan/90.yaml could not be read"));
}

TEST(MovePrograms, FailsForAFunctionOfMellanox) {
  auto facts = mlx5_vm();
  const auto address = facts.functions->at(0).address.str();
  facts.move->programs.mentions.push_back({"etc/vpp/startup.conf", 3, "0999:00:02.0", "VPP"});
  EXPECT_EQ(run_check(facts, "move.programs").status, Status::pass) << "another kind of function";
  facts.move->programs.unread.emplace_back("etc/openvswitch/conf.db");
  EXPECT_EQ(run_check(facts, "move.programs").status, Status::unknown);
  facts.move->programs.mentions.push_back({"etc/vpp/startup.conf", 4, address, "VPP"});
  facts.move->programs.mentions.push_back({"proc/7/cmdline", 0, "net_failsafe", "fw (process 7)"});
  const auto finding = run_check(facts, "move.programs");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(finding.reason, "VPP selects " + address + " of mlx5");
  EXPECT_EQ(finding.detail,
            finding.reason + " (/etc/vpp/startup.conf:4); fw (process 7) selects net_failsafe");
}

TEST(KernelMana, NeedsNotBeLoadedBeforeTheMove) {
  auto facts = mlx5_vm();
  test::module(facts, "mana").presence = Presence::available;
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::pass);
  test::module(facts, "mana").presence = Presence::blacklisted;
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::fail);
}

// ---- readiness ----------------------------------------------------------------------------------

Readiness readiness(const host::Facts& facts, Use use) {
  static Report report;  // the reasons belong to it
  report = *run_checks(facts, kForecast, {});
  return readiness_for(use, facts, report);
}

std::vector<std::string_view> reasons(const host::Facts& facts, Use use) {
  std::vector<std::string_view> ids;
  for (const auto* reason : readiness(facts, use).reasons) ids.push_back(reason->check.id);
  return ids;
}

TEST(Readiness, IsJudgedForEachUse) {
  auto facts = mlx5_vm();
  EXPECT_EQ(readiness(facts, Use::kernel).ready, true);
  EXPECT_EQ(readiness(facts, Use::dpdk).ready, true);
  facts.move->management = host::Management{false, "no rule"};
  EXPECT_THAT(reasons(facts, Use::kernel), ElementsAre("move.managers"));
  EXPECT_EQ(readiness(facts, Use::dpdk).ready, true);
  test::module(facts, "mana").presence = Presence::missing;
  test::module(facts, "mana_ib").presence = Presence::missing;
  EXPECT_THAT(reasons(facts, Use::dpdk), ElementsAre("kernel.mana")) << "mana_ib is a consequence";
  EXPECT_EQ(readiness(facts, Use::dpdk).ready, false);
}

TEST(Readiness, IgnoresThePresentNicsInAForecast) {
  auto facts = mlx5_vm();
  facts.functions->clear();
  EXPECT_NE(run_checks(facts, kForecast, {})->count(Status::fail), 0U);
  EXPECT_EQ(readiness(facts, Use::kernel).ready, true);
}

TEST(Readiness, DescribesThePresentOfAVmWithMana) {
  auto facts = healthy_vm();
  EXPECT_EQ(readiness(facts, Use::kernel).ready, true);
  facts.functions->at(0).driver.clear();
  EXPECT_THAT(reasons(facts, Use::kernel), testing::Contains("hardware.driver"));
}

TEST(Readiness, IsUnknownIfAnythingIsUndecided) {
  auto facts = mlx5_vm();
  facts.move->management = test::unreadable();
  EXPECT_EQ(readiness(facts, Use::kernel).ready, std::nullopt);
  EXPECT_THAT(reasons(facts, Use::kernel), ElementsAre("move.managers"));
  const auto none = run_checks(facts, kForecast, {"memory.node"});
  EXPECT_EQ(readiness_for(Use::dpdk, facts, *none).ready, std::nullopt);
  EXPECT_THAT(readiness_for(Use::dpdk, facts, *none).reasons, IsEmpty());
}

TEST(RunChecks, LeavesOutWhatAUseDoesNotNeed) {
  CheckOptions options;
  options.use = Use::kernel;
  const auto report = run_checks(healthy_vm(), options, {});
  EXPECT_NE(report->find("interfaces.path"), nullptr);
  EXPECT_NE(report->find("kernel.mana"), nullptr);
  EXPECT_EQ(report->find("rdma.core"), nullptr);
  options.use = Use::dpdk;
  EXPECT_EQ(run_checks(healthy_vm(), options, {})->find("interfaces.path"), nullptr);
}

}  // namespace
}  // namespace manactl::diag::move_checks_test
