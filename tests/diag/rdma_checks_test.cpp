// SPDX-License-Identifier: MIT

#include "diag/vm.h"
#include "support/fixtures.h"

namespace manactl::diag::rdma_checks_test {
namespace {

using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::Contains;
using testing::HasSubstr;

host::Facts backport_vm() {
  host::Facts facts = healthy_vm();
  facts.kernel->release = "5.15.0-1045-azure";
  facts.rdma.devices->at(0).driver_id = 19;
  facts.rdma.btf_mana = std::optional<std::int64_t>(19);
  facts.rdma.providers->at(0).library = "liberdma-rdmav34.so";
  return facts;
}

TEST(RdmaDevices, FailWhenAFunctionHasNone) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).rdma_devices.clear();
  facts.rdma.devices->clear();
  const Finding finding = run_check(facts, "rdma.devices");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("7870:00:00.0"));
  EXPECT_THAT(commands_of(finding), HasSubstr("mana_ib"));
}

TEST(RdmaDevices, AreBothNamed) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).rdma_devices = {"mana_0", "manae_0"};
  const Finding finding = run_check(facts, "rdma.devices");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.detail, HasSubstr("mana_0, manae_0"));
}

TEST(RdmaDevices, AreUnknownIfNetlinkFails) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices = test::unreadable();
  for (const char* id : {"rdma.devices", "rdma.nodes", "rdma.driver-id", "rdma.provider"}) {
    EXPECT_EQ(run_check(facts, id).status, Status::unknown) << id;
  }
}

TEST(RdmaNodes, FailIfTheNodeIsMissing) {
  host::Facts facts = healthy_vm();
  facts.rdma.nodes->clear();
  const Finding finding = run_check(facts, "rdma.nodes");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("/dev/infiniband/uverbs0"));
}

TEST(RdmaNodes, FailWithoutACharacterDevice) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices->at(0).uverbs.clear();
  EXPECT_EQ(run_check(facts, "rdma.nodes").status, Status::fail);
}

TEST(RdmaNodes, WarnIfThisUserMayNotOpenThem) {
  host::Facts facts = healthy_vm();
  facts.rdma.nodes->at(0) = {"dev/infiniband/uverbs0", 020600, 0, 0, false};
  const Finding finding = run_check(facts, "rdma.nodes");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("mode 0600"));
}

TEST(RdmaNodes, AreSkippedWithoutDevices) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices->clear();
  EXPECT_EQ(run_check(facts, "rdma.nodes").status, Status::skipped);
}

TEST(RdmaRights, FailForRootWithoutNetRaw) {
  host::Facts facts = healthy_vm();
  facts.limits->net_raw = false;
  EXPECT_EQ(run_check(facts, "rdma.rights").status, Status::fail);
  facts.limits->uid = 1000;
  EXPECT_EQ(run_check(facts, "rdma.rights").status, Status::skipped);
  facts.limits = test::unreadable();
  EXPECT_EQ(run_check(facts, "rdma.rights").status, Status::unknown);
}

TEST(RdmaMemlock, WarnsIfTheBenchmarkNeedsMore) {
  host::Facts facts = healthy_vm();
  facts.limits->ipc_lock = false;
  CheckOptions options;
  options.bench_bytes = 12U << 20;
  const Finding finding = run_check(facts, "rdma.memlock", options);
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("8 MiB"));
  EXPECT_THAT(finding.detail, HasSubstr("12 MiB"));
}

TEST(RdmaMemlock, PassesWithAHighLimitOrNone) {
  host::Facts facts = healthy_vm();
  facts.limits->ipc_lock = false;
  CheckOptions options;
  options.bench_bytes = 8U << 20;
  EXPECT_EQ(run_check(facts, "rdma.memlock", options).status, Status::pass);
  facts.limits->memlock_soft = UINT64_MAX;
  EXPECT_EQ(run_check(facts, "rdma.memlock").status, Status::pass);
  facts.limits = test::unreadable();
  EXPECT_EQ(run_check(facts, "rdma.memlock").status, Status::unknown);
}

TEST(RdmaCore, FailsIfTheLibrariesAreOfDifferentReleases) {
  host::Facts facts = healthy_vm();
  facts.rdma.libraries = manactl::fail(Errc::not_found, "cannot load 'libmana.so.1': why");
  const std::pair<const char*, const char*> commands[] = {
      {"debian", "apt-get update\napt-get install -y --reinstall libibverbs1 ibverbs-providers"},
      {"rhel", "dnf reinstall -y libibverbs"},
      {"azurelinux", "tdnf reinstall -y libibverbs"},
      {"sles", "zypper --non-interactive install --force libibverbs1 libmana1"},
      {"another", ""}};
  for (const auto& [distribution, expected] : commands) {
    facts.kernel->distribution = distribution;
    const Finding finding = run_check(facts, "rdma.core");
    EXPECT_EQ(finding.status, Status::fail);
    EXPECT_THAT(finding.detail, testing::EndsWith(": cannot load 'libmana.so.1': why"));
    EXPECT_EQ(commands_of(finding), expected) << distribution;
  }
  facts.rdma.libraries = manactl::fail(Errc::timeout, "libibverbs did not respond");
  EXPECT_EQ(run_check(facts, "rdma.core").status, Status::unknown);
}

TEST(RdmaCore, FailsBeforeTheFirstReleaseWithMana) {
  host::Facts facts = healthy_vm();
  facts.rdma.rdma_core = std::optional<Release>(Release{44, 0, 0});
  EXPECT_EQ(run_check(facts, "rdma.core").status, Status::pass);
  facts.rdma.rdma_core = std::optional<Release>(Release{43, 0, 0});
  const Finding finding = run_check(facts, "rdma.core");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("43"));
  EXPECT_THAT(commands_of(finding), HasSubstr("make -C rdma-core/build install"));
}

// The distribution's package would overwrite the build that rdma.core recommends.
TEST(RdmaDriverId, DoesNotInstallAPackageOverTheBuildOfRdmaCore) {
  for (const char* image : {"image-sles-15-sp5", "image-ubuntu-22-04", "rdma-core-39"}) {
    const auto facts = host::facts_of(image);
    EXPECT_THAT(commands_of(run_check(facts, "rdma.core")), HasSubstr("-b v50.1")) << image;
    const Finding finding = run_check(facts, "rdma.driver-id");
    EXPECT_EQ(finding.status, Status::fail) << image;
    EXPECT_THAT(finding.remedy->why, testing::StartsWith("follow the remedy of rdma.core"));
    EXPECT_THAT(finding.remedy->commands, testing::IsEmpty()) << image;
  }
}

TEST(RdmaCore, FailsWithoutLibibverbsOrWithoutLibmana) {
  host::Facts facts = healthy_vm();
  facts.rdma.mana_provider = false;
  EXPECT_THAT(run_check(facts, "rdma.core").detail, HasSubstr("libmana.so.1"));
  EXPECT_EQ(run_check(facts, "rdma.core").status, Status::fail);
  facts.rdma.rdma_core = std::optional<Release>();
  EXPECT_EQ(run_check(facts, "rdma.core").status, Status::fail);
  facts.rdma.rdma_core = test::unreadable();
  EXPECT_EQ(run_check(facts, "rdma.core").status, Status::unknown);
}

TEST(RdmaCore, NamesThePackageOfTheDistribution) {
  host::Facts facts = healthy_vm();
  facts.rdma.mana_provider = false;
  facts.kernel->distribution = "rhel";
  EXPECT_EQ(commands_of(run_check(facts, "rdma.core")), "dnf install -y rdma-core libibverbs");
}

TEST(RdmaDriverId, FailsOnTheBackportAndExplainsBothNumbers) {
  const Finding finding = run_check(backport_vm(), "rdma.driver-id");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("kernel reports 19"));
  EXPECT_THAT(finding.detail, HasSubstr("erdma"));
  EXPECT_THAT(finding.detail, HasSubstr("rdma-core 50"));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("19 is ERDMA")));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("20 is MANA")));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("RDMA_DRIVER_MANA = 19")));
  EXPECT_THAT(commands_of(finding), HasSubstr("linux-azure"));
  ASSERT_EQ(finding.remedy->others.size(), 1U);
  const auto& build = finding.remedy->others.front();
  EXPECT_THAT(build.why, HasSubstr("if this kernel has to stay"));
  EXPECT_THAT(build.commands, Contains(HasSubstr("RDMA_DRIVER_MANA,/G' rdma-core/kernel-headers")));
  const auto numbered_remedies = numbered(*finding.remedy);
  EXPECT_THAT(numbered_remedies.at(0).why, testing::StartsWith("1. install"));
  EXPECT_THAT(numbered_remedies.at(1).why, testing::StartsWith("2. build"));
}

// Every linux-azure of Ubuntu 20.04 reports 19, also the one of hardware enablement.
TEST(RdmaDriverId, IsNotCuredByAnotherKernelOnUbuntu2004) {
  host::Facts facts = backport_vm();
  facts.kernel->release = "5.15.0-1089-azure";
  facts.kernel->distribution_release = "20.04";
  const auto expect_swap = [&](const char* check) {
    const Finding finding = run_check(facts, check);
    EXPECT_EQ(finding.status, Status::fail) << check;
    const auto remedies = numbered(*finding.remedy);
    ASSERT_EQ(remedies.size(), 2U) << check;
    EXPECT_THAT(remedies[0].why, testing::StartsWith("1. use Ubuntu 24.04")) << check;
    EXPECT_THAT(remedies[0].commands, testing::IsEmpty()) << check;
    EXPECT_THAT(remedies[1].why, testing::StartsWith("2. if this release has to stay")) << check;
    EXPECT_THAT(remedies[1].commands, Contains(HasSubstr("RDMA_DRIVER_MANA,/G' rdma-core/")));
    EXPECT_THAT(remedies[1].commands, testing::Not(Contains(HasSubstr("linux-azure"))));
  };
  expect_swap("rdma.driver-id");
  facts.rdma.rdma_core = Release{28, 0, 0};
  expect_swap("rdma.core");
  facts.kernel->distribution_release = "22.04";
  const auto commands = commands_of(run_check(facts, "rdma.core"));
  EXPECT_THAT(commands, testing::Not(HasSubstr("sed -i")));
  EXPECT_THAT(commands, HasSubstr("apt-get install -y linux-azure\n"));
  EXPECT_THAT(commands, HasSubstr("make -C rdma-core/build install"));
}

// Without mana_ib, no rdma-core helps, so only another release does.
TEST(RdmaCore, HasOneRemedyIfTheKernelOfUbuntu2004LacksManaIb) {
  const auto facts = host::facts_of("kernel-old");
  const Finding finding = run_check(facts, "rdma.core");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.remedy->why, testing::StartsWith("follow the remedy of kernel.mana-ib"));
  EXPECT_THAT(finding.remedy->commands, testing::IsEmpty());
  EXPECT_THAT(finding.remedy->others, testing::IsEmpty());
}

TEST(RdmaDriverId, ReplacesAnRdmaCoreThatIsPatchedForAnotherKernel) {
  host::Facts facts = healthy_vm();
  facts.rdma.providers->front().library = "liberdma-rdmav34.so";
  const Finding finding = run_check(facts, "rdma.driver-id");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(commands_of(finding), HasSubstr("make -C rdma-core/build install"));
  EXPECT_THAT(commands_of(finding), testing::Not(HasSubstr("linux-azure")));
}

TEST(RdmaDriverId, ShowsTheNumbersWhenItPasses) {
  const Finding finding = run_check(healthy_vm(), "rdma.driver-id");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.detail, HasSubstr("20"));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("RDMA_DRIVER_MANA = 20")));
}

TEST(RdmaDriverId, IsSkippedWithoutDevices) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices->clear();
  EXPECT_EQ(run_check(facts, "rdma.driver-id").status, Status::skipped);
}

TEST(RdmaDriverId, FailsWithoutACharacterDevice) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices->at(0).driver_id.reset();
  facts.rdma.devices->at(0).uverbs.clear();
  test::module(facts, "ib_uverbs").presence = Presence::available;
  const Finding finding = run_check(facts, "rdma.driver-id");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("ib_uverbs"));
}

TEST(RdmaDriverId, IsUnknownIfTheNumberCouldNotBeRead) {
  host::Facts facts = healthy_vm();
  facts.rdma.devices->at(0).driver_id.reset();
  facts.rdma.devices->at(0).error = "netlink: Operation not permitted";
  const Finding finding = run_check(facts, "rdma.driver-id");
  EXPECT_EQ(finding.status, Status::unknown);
  EXPECT_THAT(finding.detail, HasSubstr("not permitted"));
}

TEST(RdmaProvider, FailsForAnotherProviderAndForNone) {
  EXPECT_EQ(run_check(backport_vm(), "rdma.provider").status, Status::fail);
  host::Facts facts = healthy_vm();
  facts.rdma.providers->clear();
  facts.rdma.mana_provider = false;
  EXPECT_EQ(run_check(facts, "rdma.provider").status, Status::fail);
}

TEST(RdmaProvider, WarnsIfOnlyThePlugInIsMissing) {
  host::Facts facts = healthy_vm();
  facts.rdma.providers->clear();
  facts.rdma.mana_provider = true;
  const Finding finding = run_check(facts, "rdma.provider");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("net_mana"));
  EXPECT_EQ(run_check(facts, "rdma.driver-id").status, Status::pass);
  facts.rdma.mana_provider = test::unreadable();
  EXPECT_EQ(run_check(facts, "rdma.provider").status, Status::fail);
  EXPECT_EQ(run_check(facts, "rdma.driver-id").status, Status::fail);
}

TEST(RdmaProvider, IsUnknownIfTheChoiceCouldNotBeRead) {
  host::Facts facts = healthy_vm();
  facts.rdma.providers = test::unreadable();
  EXPECT_EQ(run_check(facts, "rdma.provider").status, Status::unknown);
}

TEST(RdmaProvider, IsAConsequenceOfTheDriverId) {
  EXPECT_THAT(find_check("rdma.provider")->caused_by, Contains("rdma.driver-id"));
}

}  // namespace
}  // namespace manactl::diag::rdma_checks_test
