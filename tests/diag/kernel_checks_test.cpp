// SPDX-License-Identifier: MIT

#include "base/text.h"
#include "diag/vm.h"
#include "support/fixtures.h"

namespace manactl::diag::kernel_checks_test {
namespace {

using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::HasSubstr;

struct KernelCase {
  std::string name, release, distribution;
  Status status;
  std::string brings;
};

const std::vector<KernelCase> kKernelCases = {
    {"Recommended", "6.14.0-1017-azure", "ubuntu", Status::pass, "requires"},
    {"TwoDevices", "6.17.2", "fedora", Status::pass, "manae_N"},
    {"UbuntuBackport", "5.15.0-1045-azure", "ubuntu", Status::warn, "19"},
    {"UbuntuNewBackport", "6.8.0-1062-azure", "ubuntu", Status::pass, "backport"},
    {"RedHatBackport", "5.14.0-427.13.1.el9_4.x86_64", "rhel", Status::pass, "RHEL"},
    {"RedHat8Backport", "4.18.0-513.5.1.el8_9.x86_64", "almalinux", Status::pass, "8.9"},
    // Without mana_ib:
    {"Ancient", "5.4.0", "void", Status::warn, "older than 5.15"},
    {"NetworkCardOnly", "6.1.0", "void", Status::warn, "6.2"},
    {"ManaIb", "6.12.43", "void", Status::warn, "6.14"},
    {"AncientOfUbuntu", "5.4.0-1100-azure", "ubuntu", Status::unknown, "may contain backports"},
    {"OldOfDebian", "6.1.0-32-cloud-amd64", "debian", Status::unknown, "may contain"},
    {"Debian", "6.12.43+deb12-cloud-amd64", "debian", Status::unknown, "may contain"},
    {"UbuntuBeforeBackport", "5.15.0-1044-azure", "ubuntu", Status::unknown, "may contain"},
    {"UbuntuBeforeNewBackport", "6.8.0-1045-azure", "ubuntu", Status::unknown, "may contain"},
    {"UbuntuGeneric", "6.8.0-2000-generic", "ubuntu", Status::unknown, "may contain"},
    {"RedHatBeforeBackport",
     "5.14.0-284.11.1.el9_2.x86_64",
     "rhel",
     Status::unknown,
     "may contain"},
    {"RedHat8BeforeBackport",
     "4.18.0-477.10.1.el8_8.x86_64",
     "rhel",
     Status::unknown,
     "may contain"},
};

class KernelVersion : public testing::TestWithParam<KernelCase> {};

TEST_P(KernelVersion, IsJudgedByTheReleaseTable) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mana_ib").presence = Presence::missing;
  facts.kernel->release = GetParam().release;
  facts.kernel->distribution = GetParam().distribution;
  const Finding finding = run_check(facts, "kernel.version");
  EXPECT_EQ(finding.status, GetParam().status) << finding.detail;
  EXPECT_THAT(finding.detail, HasSubstr(GetParam().release));
  EXPECT_THAT(finding.detail + join(finding.evidence, "\n"), HasSubstr(GetParam().brings));
}

INSTANTIATE_TEST_SUITE_P(Table,
                         KernelVersion,
                         testing::ValuesIn(kKernelCases),
                         [](const auto& kernel) { return kernel.param.name; });

TEST(KernelVersionCheck, PassesIfTheKernelContainsTheModules) {
  host::Facts facts = healthy_vm();
  facts.kernel->distribution = "rhel";
  for (const char* release : {"4.18.0-477.10.1.el8_8.x86_64", "6.1.0"}) {
    facts.kernel->release = release;
    test::module(facts, "mana").presence = Presence::available;
    const Finding finding = run_check(facts, "kernel.version");
    EXPECT_EQ(finding.status, Status::pass) << finding.detail;
    EXPECT_THAT(finding.detail, HasSubstr("contains mana and mana_ib"));
    test::module(facts, "mana").presence = test::unreadable();
    EXPECT_NE(run_check(facts, "kernel.version").status, Status::pass);
  }
}

TEST(KernelVersionCheck, AnnouncesCommandsOnlyIfItHasSome) {
  host::Facts facts = healthy_vm();
  facts.kernel->release = "5.4.0";
  test::module(facts, "mana_ib").presence = Presence::missing;
  for (const auto* distribution : {"ubuntu", "void"}) {
    facts.kernel->distribution = distribution;
    const auto remedy = run_check(facts, "kernel.version").remedy.value();
    EXPECT_EQ(remedy.why.ends_with(':'), !remedy.commands.empty()) << remedy.why;
  }
}

TEST(KernelVersionCheck, IsUnknownIfTheReleaseCannotBeParsed) {
  host::Facts facts = healthy_vm();
  facts.kernel->release = "rolling";
  EXPECT_EQ(run_check(facts, "kernel.version").status, Status::unknown);
  facts.kernel = test::unreadable();
  EXPECT_EQ(run_check(facts, "kernel.version").status, Status::unknown);
}

struct Judged {
  std::string check, module;
  Presence presence;
  Status status;
};

const std::vector<Judged> kModules = {
    {"kernel.mana", "mana", Presence::builtin, Status::pass},
    {"kernel.mana", "mana", Presence::available, Status::fail},
    {"kernel.mana", "mana", Presence::blacklisted, Status::fail},
    {"kernel.mana", "mana", Presence::missing, Status::fail},
    {"kernel.mana-ib", "mana_ib", Presence::loaded, Status::pass},
    {"kernel.mana-ib", "mana_ib", Presence::available, Status::fail},
    {"kernel.mana-ib", "mana_ib", Presence::blacklisted, Status::fail},
    {"kernel.mana-ib", "mana_ib", Presence::missing, Status::fail},
    {"kernel.ib-uverbs", "ib_uverbs", Presence::builtin, Status::pass},
    {"kernel.ib-uverbs", "ib_uverbs", Presence::available, Status::fail},
    {"kernel.ib-uverbs", "ib_uverbs", Presence::missing, Status::fail},
    {"kernel.hv-netvsc", "hv_netvsc", Presence::builtin, Status::pass},
    {"kernel.hv-netvsc", "hv_netvsc", Presence::available, Status::fail},
    {"kernel.hv-netvsc", "hv_netvsc", Presence::missing, Status::fail},
    {"kernel.uio-hv-generic", "uio_hv_generic", Presence::loaded, Status::pass},
    {"kernel.uio-hv-generic", "uio_hv_generic", Presence::available, Status::pass},
    {"kernel.uio-hv-generic", "uio_hv_generic", Presence::blacklisted, Status::warn},
    {"kernel.uio-hv-generic", "uio_hv_generic", Presence::missing, Status::warn},
};

class KernelModule : public testing::TestWithParam<Judged> {};

TEST_P(KernelModule, IsJudgedByItsPresence) {
  host::Facts facts = healthy_vm();
  test::module(facts, GetParam().module).presence = GetParam().presence;
  const Finding finding = run_check(facts, GetParam().check);
  EXPECT_EQ(finding.status, GetParam().status) << finding.detail;
  EXPECT_THAT(finding.detail, HasSubstr(GetParam().module));
  EXPECT_EQ(finding.remedy.has_value(), GetParam().status != Status::pass);
}

INSTANTIATE_TEST_SUITE_P(All, KernelModule, testing::ValuesIn(kModules));

TEST(KernelModules, AreUnknownIfUnreadable) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mana").presence = test::unreadable();
  EXPECT_EQ(run_check(facts, "kernel.mana").status, Status::unknown);
  facts.modules.clear();
  EXPECT_EQ(run_check(facts, "kernel.mana-ib").status, Status::unknown);
}

TEST(KernelModules, OfTheSyntheticNicAreSkippedWithManaDirect) {
  host::Facts facts = test::direct_vm();
  test::module(facts, "hv_netvsc").presence = Presence::missing;
  test::module(facts, "uio_hv_generic").presence = Presence::missing;
  EXPECT_EQ(run_check(facts, "kernel.hv-netvsc").status, Status::skipped);
  EXPECT_EQ(run_check(facts, "kernel.uio-hv-generic").status, Status::skipped);
}

TEST(KernelModules, HvNetvscMayBeUnloadedWhenEveryNicIsInUserSpace) {
  host::Facts facts = test::prepared_vm();
  facts.nics->erase(facts.nics->begin());
  test::module(facts, "hv_netvsc").presence = Presence::available;
  EXPECT_EQ(run_check(facts, "kernel.hv-netvsc").status, Status::pass);
}

TEST(KernelManaIb, IsInTheExtraModulesOfUbuntusKernel) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mana_ib").presence = Presence::missing;
  EXPECT_THAT(commands_of(run_check(facts, "kernel.mana-ib")),
              HasSubstr("apt-get install -y linux-modules-extra-6.14.0-1017-azure"));
}

std::string source_of_mana_ib(const char* kernel, const char* distribution) {
  host::Facts facts = healthy_vm();
  facts.kernel->release = kernel;
  facts.kernel->distribution = distribution;
  test::module(facts, "mana_ib").presence = Presence::missing;
  EXPECT_EQ(commands_of(run_check(facts, "rdma.devices")), "");
  facts.functions->at(0).rdma_devices.clear();
  facts.rdma.devices->clear();
  // Other checks do not load a module that the kernel does not contain.
  EXPECT_THAT(commands_of(run_check(facts, "rdma.devices")),
              HasSubstr(commands_of(run_check(facts, "kernel.mana-ib"))));
  return commands_of(run_check(facts, "kernel.mana-ib"));
}

TEST(KernelManaIb, IsInTheExtraModulesOfRedHatSinceItsBackport) {
  EXPECT_EQ(source_of_mana_ib("5.14.0-427.el9_4.x86_64", "rhel"),
            "dnf install -y kernel-modules-extra-5.14.0-427.el9_4.x86_64\nmodprobe mana_ib");
  EXPECT_THAT(source_of_mana_ib("6.17.2-200.fc42.x86_64", "fedora"), HasSubstr("modprobe mana_ib"));
  for (const char* old : {"5.14.0-284.el9_2.x86_64", "4.18.0-477.el8_8.x86_64"}) {
    EXPECT_EQ(source_of_mana_ib(old, "rhel"),
              "dnf upgrade -y kernel\ndnf install -y kernel-modules-extra");
  }
}

// The kernel with pages of 64 KiB is another package of RHEL for ARM64.
TEST(KernelManaIb, IsInTheExtraModulesOfTheKernelWithItsPages) {
  host::Facts facts = healthy_vm();
  facts.kernel = host::Kernel{"6.12.0-55.el10_0.aarch64+64k", "aarch64", "rhel", "10.0", 65536};
  test::module(facts, "mana_ib").presence = Presence::missing;
  EXPECT_EQ(commands_of(run_check(facts, "kernel.mana-ib")),
            "dnf install -y kernel-64k-modules-extra-6.12.0-55.el10_0.aarch64\nmodprobe mana_ib");
}

TEST(KernelMana, NeedsSmallerPagesOrANewerKernelOnArm64) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mana").presence = Presence::missing;
  const auto finding_with = [&](const char* kernel, std::uint64_t page_bytes) {
    facts.kernel = host::Kernel{kernel, "aarch64", "rhel", "9.4", page_bytes};
    return run_check(facts, "kernel.mana");
  };
  const auto large = finding_with("5.14.0-427.el9_4.aarch64+64k", 65536);
  EXPECT_THAT(large.remedy->why,
              HasSubstr("install mana: kernels with pages of more than 4 KiB have mana since"));
  EXPECT_THAT(commands_of(large), HasSubstr("grubby --set-default"));
  EXPECT_THAT(commands_of(finding_with("6.10.3-200.fc40.aarch64+64k", 65536)),
              HasSubstr("grubby --set-default"));
  // The backports of RHEL are known for x86-64 only.
  const auto small = finding_with("5.14.0-427.el9_4.aarch64", 4096);
  EXPECT_EQ(commands_of(small), "dnf upgrade -y kernel\ndnf install -y kernel-modules-extra");
  EXPECT_THAT(commands_of(finding_with("6.10.3-200.fc40.aarch64", 4096)),
              HasSubstr("kernel-modules-extra-6.10.3-200.fc40.aarch64"));
  facts.kernel = host::Kernel{"5.15.0-100-generic-64k", "aarch64", "ubuntu", "22.04", 65536};
  const auto ubuntu = run_check(facts, "kernel.mana");
  EXPECT_THAT(ubuntu.remedy->why, testing::StartsWith("start a kernel with pages of 4 KiB"));
  EXPECT_EQ(commands_of(ubuntu), "");
}

TEST(KernelVersion, IsNotThatOfABackportForX86) {
  host::Facts facts = healthy_vm();
  facts.kernel = host::Kernel{"5.14.0-427.el9_4.aarch64", "aarch64", "rhel", "9.4", 65536};
  const auto with_modules = run_check(facts, "kernel.version");
  EXPECT_EQ(with_modules.status, Status::pass);
  EXPECT_THAT(with_modules.evidence, testing::Contains("ARM64 with pages of 64 KiB"));
  test::module(facts, "mana").presence = Presence::missing;
  EXPECT_EQ(run_check(facts, "kernel.version").status, Status::unknown);
}

TEST(KernelManaIb, IsInTheCloudKernelsOfDebian) {
  EXPECT_THAT(source_of_mana_ib("6.1.0-32-cloud-amd64", "debian"),
              HasSubstr("-t bookworm-backports linux-image-cloud-amd64"));
  EXPECT_THAT(source_of_mana_ib("6.12.48+deb13-amd64", "debian"),
              HasSubstr("apt-get install -y linux-image-cloud-amd64"));
}

TEST(KernelManaIb, ExplainsThatAzureLinux3LacksIt) {
  host::Facts facts = healthy_vm();
  facts.kernel = host::Kernel{"6.6.134.1-1.azl3", "x86_64", "azurelinux"};
  test::module(facts, "mana_ib").presence = Presence::missing;
  const Finding finding = run_check(facts, "kernel.mana-ib");
  EXPECT_THAT(finding.remedy->why, HasSubstr("Azure Linux 3"));
  EXPECT_EQ(commands_of(finding), "");
}

TEST(KernelManaIb, IsNotPromisedByAPackageThatDoesNotHaveIt) {
  host::Facts facts = healthy_vm();
  test::module(facts, "mana_ib").presence = Presence::missing;
  const auto finding_on = [&](const char* kernel, const char* machine, const char* distribution) {
    facts.kernel = host::Kernel{kernel, machine, distribution};
    return run_check(facts, "kernel.mana-ib");
  };
  const auto debian = finding_on("5.10.0-34-cloud-amd64", "x86_64", "debian");
  EXPECT_THAT(debian.remedy->why, HasSubstr("use Debian 13"));
  EXPECT_EQ(commands_of(debian), "");
  const auto ubuntu = finding_on("5.4.0-1109-azure", "x86_64", "ubuntu");
  EXPECT_THAT(ubuntu.remedy->why, HasSubstr("driver id 19"));
  EXPECT_EQ(commands_of(ubuntu), "");
  const auto arm = finding_on("6.6.134.1-1.azl3", "aarch64", "azurelinux");
  EXPECT_THAT(arm.remedy->why, testing::Not(HasSubstr("x86")));
  EXPECT_THAT(commands_of(finding_on("5.14.21-150500", "x86_64", "sles")),
              HasSubstr("install kernel-azure"));
}

TEST(KernelManaIb, NamesTheFileThatBlacklistsIt) {
  host::Facts facts = healthy_vm();
  auto& module = test::module(facts, "mana_ib");
  module.presence = Presence::blacklisted;
  module.evidence = "etc/modprobe.d/no-rdma.conf";
  const Finding finding = run_check(facts, "kernel.mana-ib");
  EXPECT_THAT(finding.detail, HasSubstr("etc/modprobe.d/no-rdma.conf"));
  EXPECT_THAT(commands_of(finding), HasSubstr(" /etc/modprobe.d/no-rdma.conf"));
}

TEST(KernelModules, ReferToTheRemedyThatBothNeed) {
  const auto facts = host::facts_of("kernel-old");
  EXPECT_THAT(run_check(facts, "kernel.mana").remedy->why,
              testing::StartsWith("use Ubuntu 24.04 or later: the newest linux-azure"));
  EXPECT_THAT(run_check(facts, "kernel.mana-ib").remedy->why,
              testing::StartsWith("follow the remedy of kernel.mana;"));
}

host::Facts with_kernel(std::string release, std::string distribution, std::string debian = {}) {
  auto facts = healthy_vm();
  facts.kernel->release = std::move(release);
  facts.kernel->distribution = std::move(distribution);
  facts.kernel->debian_version = std::move(debian);
  return facts;
}

TEST(KernelFixes, WarnOfMissingFixesThatUsualOperationNeeds) {
  const auto facts = with_kernel("6.1.0-43-cloud-amd64", "debian", "6.1.162-1");
  const auto finding = run_check(facts, "kernel.fixes");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("Linux 6.1.162 lacks mana: no use after free"));
  EXPECT_THAT(finding.detail, HasSubstr("CVE-2026-23454"));
  EXPECT_THAT(join(finding.evidence, "\n"),
              HasSubstr("lacks a fix for confidential VMs: mana: index of a receive request is "
                        "checked (CVE-2026-64018)"));
  EXPECT_THAT(commands_of(finding), HasSubstr("linux-image-cloud-amd64"));
}

TEST(KernelFixes, PassWithoutTheFixesForConfidentialVmsAndRareFaults) {
  auto facts = with_kernel("6.1.0-51-cloud-amd64", "debian", "6.1.176-1");
  auto finding = run_check(facts, "kernel.fixes");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_EQ(finding.detail, "Linux 6.1.176 lacks none that usual operation needs");
  EXPECT_THAT(join(finding.evidence, "\n"), HasSubstr("CVE-2026-72065"));
  facts.kernel->debian_version = "6.1.192-3";
  finding = run_check(facts, "kernel.fixes");
  EXPECT_EQ(finding.detail, "Linux 6.1.192 has all known fixes");
  facts.kernel = test::unreadable();
  EXPECT_EQ(run_check(facts, "kernel.fixes").status, Status::unknown);
}

TEST(KernelFixes, AreSkippedIfTheVersionDoesNotShowTheStableRelease) {
  for (const auto& [release, distribution] : {std::pair{"6.8.0-1062-azure", "ubuntu"},
                                              std::pair{"5.14.0-427.13.1.el9_4.x86_64", "rhel"},
                                              std::pair{"5.14.21-150500.55.39-default", "sles"},
                                              std::pair{"6.1.0-43-cloud-amd64", "debian"}}) {
    const auto finding = run_check(with_kernel(release, distribution), "kernel.fixes");
    EXPECT_EQ(finding.status, Status::skipped) << release;
    EXPECT_THAT(finding.detail, HasSubstr("does not show which fixes")) << release;
  }
  for (const char* release : {"6.6.104.2-4.azl3", "6.12.48+deb13-cloud-amd64", "6.6.87-vyos"}) {
    EXPECT_EQ(run_check(with_kernel(release, "x"), "kernel.fixes").status, Status::warn) << release;
  }
}

}  // namespace
}  // namespace manactl::diag::kernel_checks_test
