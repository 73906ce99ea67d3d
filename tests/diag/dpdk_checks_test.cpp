// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>

#include "diag/release_table.h"
#include "diag/vm.h"
#include "support/fixtures.h"

namespace manactl::diag::dpdk_checks_test {
namespace {

using host::SystemDpdk;
using test::commands_of;
using test::healthy_vm;
using test::run_check;
using testing::Contains;
using testing::HasSubstr;

SystemDpdk debian12() {
  return {"usr/lib/librte_eal.so.23", "22.11.11", "usr/lib/pmds", false, true};
}

SystemDpdk with_mana(const char* version) {
  return {"usr/lib/librte_eal.so.26", version, "usr/lib/pmds", true, true};
}

TEST(DpdkInstalled, FailsForDebian12WhichHasNoNetMana) {
  host::Facts facts = healthy_vm();
  facts.kernel->distribution = "debian";
  facts.dpdk = std::vector{debian12()};
  const Finding finding = run_check(facts, "dpdk.installed");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("22.11.11"));
  EXPECT_THAT(finding.remedy->why, HasSubstr("the package of Debian 12 has no net_mana"));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("usr/lib/pmds")));
}

// Building DPDK does not help if no kernel of the release has mana_ib.
TEST(DpdkInstalled, IsSkippedIfTheReleaseHasNoKernelForIt) {
  const Finding finding = run_check(host::facts_of("image-azure-linux-3"), "dpdk.installed");
  EXPECT_EQ(finding.status, Status::skipped);
  EXPECT_THAT(finding.detail, HasSubstr("mana_ib"));
}

std::string remedy_on(const char* kernel, const char* distribution) {
  host::Facts facts = healthy_vm();
  facts.kernel->release = kernel;
  facts.kernel->distribution = distribution;
  facts.dpdk = std::vector{debian12()};
  return commands_of(run_check(facts, "dpdk.installed"));
}

TEST(DpdkInstalled, NamesThePackagesOfTheDistribution) {
  EXPECT_THAT(remedy_on("6.12.48+deb13-cloud-amd64", "debian"),
              HasSubstr("apt-get install -y librte-net-mana25 librte-net-netvsc25 dpdk-dev"));
  for (const auto& [kernel, distribution] :
       {std::pair{"6.18.2+deb14-amd64", "debian"}, {"6.14.0-1017-azure", "ubuntu"}}) {
    EXPECT_THAT(remedy_on(kernel, distribution),
                HasSubstr("apt-get install -y '^librte-net-mana[0-9]*$'"));
  }
}

TEST(DpdkInstalled, BuildsDpdkWhereTheDistributionHasNoNetMana) {
  const std::string build = fmt::format(
      "git clone --depth 1 -b v{} https://github.com/DPDK/dpdk-stable.git\n"
      "meson setup dpdk-stable/build dpdk-stable\n"
      "ninja -C dpdk-stable/build install\n",
      dpdk_name(release_table().newest.back()));
  for (const char* kernel : {"6.1.0-56-cloud-amd64", "6.12.43+deb12-cloud-amd64"}) {
    EXPECT_THAT(remedy_on(kernel, "debian"), HasSubstr("libibverbs-dev\n" + build + "ldconfig"));
  }
  EXPECT_THAT(remedy_on("5.14.0-427.13.1.el9_4.x86_64", "rhel"),
              HasSubstr("rdma-core-devel\n" + build + "printf '%s\\n' /usr/local/lib64 | tee "));
  EXPECT_THAT(remedy_on("6.6.134.1-1.azl3", "azurelinux"),
              HasSubstr("tdnf install -y git build-essential"));
  EXPECT_THAT(remedy_on("6.4.0-150600", "sles"), HasSubstr("libnuma-devel rdma-core-devel"));
  EXPECT_THAT(remedy_on("6.14.0", "void"), testing::StartsWith("git clone"));
}

TEST(DpdkInstalled, BuildsDpdkOnUbuntuReleasesWithoutNetMana) {
  host::Facts facts = healthy_vm();
  facts.kernel->distribution = "ubuntu";
  facts.kernel->release = "6.8.0-1046-azure";
  facts.dpdk = std::vector{debian12()};
  facts.dpdk->front().version = "21.11.9";
  EXPECT_THAT(commands_of(run_check(facts, "dpdk.installed")), HasSubstr("git clone"));
}

TEST(DpdkInstalled, OnlyWarnsIfAnotherDpdkHasNetMana) {
  host::Facts facts = healthy_vm();
  facts.dpdk =
      std::vector{debian12(), {"usr/local/lib/x", "25.11.2", "usr/local/pmds", true, true}};
  EXPECT_EQ(run_check(facts, "dpdk.installed").status, Status::warn);
  facts.dpdk->erase(facts.dpdk->begin());
  EXPECT_EQ(run_check(facts, "dpdk.installed").status, Status::pass);
}

TEST(DpdkInstalled, IsSkippedWithoutADpdkAndUnknownIfUnreadable) {
  host::Facts facts = healthy_vm();
  EXPECT_EQ(run_check(facts, "dpdk.installed").status, Status::skipped);
  facts.dpdk = test::unreadable();
  EXPECT_EQ(run_check(facts, "dpdk.installed").status, Status::unknown);
}

TEST(DpdkFixes, FailIfTheVmHasTwoRdmaDevicesAndDpdkSupportsOne) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).rdma_devices = {"mana_0", "manae_0"};
  facts.dpdk = std::vector{with_mana("24.11.2")};
  const Finding finding = run_check(facts, "dpdk.fixes");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("mana_N and manae_N"));
  EXPECT_THAT(finding.detail, HasSubstr("24.11.5"));
}

TEST(DpdkFixes, NameTheCommandsThatUpgradeThePackages) {
  host::Facts facts = healthy_vm();
  facts.functions->at(0).rdma_devices = {"mana_0", "manae_0"};
  facts.dpdk = std::vector{with_mana("24.11.2")};
  facts.kernel->distribution = "ubuntu";
  EXPECT_THAT(
      run_check(facts, "dpdk.fixes").remedy->commands,
      testing::ElementsAre("apt-get update", "apt-get install -y --only-upgrade '^librte-.*'"));
  facts.dpdk->at(0).library = "usr/local/lib/x86_64-linux-gnu/librte_eal.so.23";
  EXPECT_THAT(run_check(facts, "dpdk.fixes").remedy->why, HasSubstr("build DPDK"))
      << "it is of no package";
  facts = healthy_vm();
  facts.dpdk = std::vector{with_mana("22.11.11")};
  facts.kernel->distribution = "ubuntu";
  EXPECT_THAT(run_check(facts, "dpdk.fixes").remedy->why, HasSubstr("build DPDK"))
      << "23.11.7 has other packages";
}

TEST(DpdkFixes, FailOnArm64Before2411) {
  host::Facts facts = healthy_vm();
  facts.kernel->machine = "aarch64";
  facts.dpdk = std::vector{with_mana("23.11.7")};
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::fail);
}

// bus_vmbus before 24.11.3 takes the pages of the kernel for those of Hyper-V, which have 4 KiB.
TEST(DpdkFixes, IncludeThoseForLargePagesUnlessThePagesAreSmall) {
  host::Facts facts = healthy_vm();
  facts.dpdk = std::vector{with_mana("24.11.2")};
  const auto has_fix = [&facts](const char* machine, std::uint64_t page_bytes) {
    facts.kernel->machine = machine;
    facts.kernel->page_bytes = page_bytes;
    const auto evidence = run_check(facts, "dpdk.fixes").evidence;
    return std::ranges::any_of(evidence, [](const std::string& line) {
      return line.find("kernels with 64 KiB pages") != std::string::npos;
    });
  };
  EXPECT_TRUE(has_fix("aarch64", 65536));
  EXPECT_TRUE(has_fix("aarch64", 0));  // a bundle of an older manactl does not have the size
  EXPECT_FALSE(has_fix("aarch64", 4096));
  EXPECT_FALSE(has_fix("x86_64", 4096));
}

TEST(DpdkFixes, WarnAboutASafeStopAndNameTheNextLine) {
  host::Facts facts = healthy_vm();
  facts.dpdk = std::vector{with_mana("22.11.11")};
  const Finding finding = run_check(facts, "dpdk.fixes");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, HasSubstr("23.11.7"));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("safe stop")));
}

TEST(DpdkFixes, MentionServicingOnlyInTheEvidence) {
  host::Facts facts = healthy_vm();
  facts.dpdk = std::vector{with_mana("25.11.2")};
  const Finding finding = run_check(facts, "dpdk.fixes");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("26.07 does")));
  EXPECT_THAT(finding.evidence, Contains(HasSubstr("as of 2026-07-23")));
}

TEST(DpdkFixes, JudgeTheDpdkThatCanDriveMana) {
  host::Facts facts = healthy_vm();
  facts.dpdk = std::vector{debian12()};
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::skipped);
  facts.dpdk = std::vector{debian12(), with_mana("25.11.2")};
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::pass);
}

TEST(DpdkFixes, AreUnknownForAnAbiUnlessAllItsReleasesLackARequiredFix) {
  host::Facts facts = healthy_vm();
  facts.dpdk = std::vector<SystemDpdk>{{"x", "23.11 to 24.07", "y", true, true}};
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::unknown);
  facts.kernel->machine = "aarch64";
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::fail);
  facts.dpdk->clear();
  EXPECT_EQ(run_check(facts, "dpdk.fixes").status, Status::skipped);
}

TEST(DpdkFailSafe, FailsIfAnInterfaceHasTheNameThatNetTapGives) {
  host::Facts facts = healthy_vm();
  facts.interfaces = {"eth0", "dtap", "dtapx", "mydtap0"};
  EXPECT_EQ(run_check(facts, "dpdk.fail-safe").status, Status::pass);
  facts.interfaces.insert(facts.interfaces.end(), {"dtap0", "dtap12"});
  const Finding finding = run_check(facts, "dpdk.fail-safe");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("dtap0, dtap12: "));
  facts.functions->clear();
  EXPECT_EQ(run_check(facts, "dpdk.fail-safe").status, Status::skipped);
}

}  // namespace
}  // namespace manactl::diag::dpdk_checks_test
