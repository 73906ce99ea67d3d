// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/on_machine.h"

namespace manactl::test::cmd_check_test {
namespace {

using testing::HasSubstr;

TEST(Check, PassesStrictlyOnAHealthyVm) {
  for (const auto* tree : {"mana-direct", "ubuntu-two-nics"}) {
    const auto outcome = manactl({"check", "--strict", "--root", fixture(tree)});
    EXPECT_EQ(outcome.code, 0) << outcome.out;
    EXPECT_THAT(outcome.out,
                testing::EndsWith("\nReady for MANA with the kernel's network stack and DPDK.\n"));
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
}

TEST(Check, NamesTheCommandThatPrintsAllRemedies) {
  const auto root = fixture("ubuntu-driver-id-19");
  const auto outcome = manactl({"check", "--root", root});
  EXPECT_THAT(outcome.out, HasSubstr("Use -v to see all remedies.\n"));
  const auto all = manactl({"check", "--root", root, "-v"}).out;
  EXPECT_THAT(all, HasSubstr("1. install the distribution's newest kernel"));
  EXPECT_THAT(all, HasSubstr("2. build rdma-core with the ids 19 and 20 swapped"));
  EXPECT_THAT(all, HasSubstr("if another check of the kernel or of RDMA fails")) << "of a warning";
}

// prepare refuses the NIC, because the kernel removes the whole route.
TEST(Check, ShowsThatANicOfAMultipathRouteIsNotFree) {
  const CopiedVm vm("healthy-two-nics");
  EXPECT_EQ(vm.run({"prepare", "eth1", "--dry-run"}).code, 0);
  vm.write("manactl/routes.json",
           R"({"routes": [{"destination": "10.9.0.0/16", "gateway": "", "outputs": [2, 3],
                           "table": 254, "metric": 0}]})");
  EXPECT_EQ(vm.run({"prepare", "eth1", "--dry-run"}).code, 4);
  const auto document = nlohmann::json::parse(vm.run({"check", "--json"}).out);
  const auto& eth1 = document.at("host").at("nics").at(1);
  EXPECT_EQ(eth1.at("free"), false);
  EXPECT_THAT(eth1.at("reason").get<std::string>(), HasSubstr("the route to 10.9.0.0/16"));
  EXPECT_THAT(vm.run({"check"}).out, HasSubstr("no NIC is free for DPDK"));
  const auto refusal = vm.run({"args", "eth1"}).err;
  EXPECT_EQ(refusal.find("10.9.0.0/16"), refusal.rfind("10.9.0.0/16")) << "named once";
}

TEST(Check, NamesAMissingDpdkInTheVerdict) {
  const auto verdict_on = [](const char* machine) {
    const auto text = manactl({"check", "--root", fixture(machine)}).out;
    return text.substr(text.rfind("Ready for"));
  };
  EXPECT_EQ(verdict_on("image-rhel-8-9"),
            "Ready for MANA with the kernel's network stack and DPDK, but no shared DPDK is "
            "installed (see 'manactl help dpdk.installed').\n");
  EXPECT_EQ(verdict_on("ubuntu-two-nics"),
            "Ready for MANA with the kernel's network stack and DPDK.\n");
}

TEST(Check, NamesTheOnlyNicThatIsNotFree) {
  const auto outcome = manactl({"check", "eth0", "--root", fixture("healthy-two-nics")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("but eth0 is not free for DPDK"));
}

TEST(Check, ForecastsForAVmWithoutMana) {
  const auto ready = manactl({"check", "--root", fixture("mlx5-vm")});
  EXPECT_EQ(ready.code, 0);
  EXPECT_THAT(ready.out, HasSubstr("Ready for MANA with the kernel's network stack and DPDK."));
  for (const auto& [machine, use, reasons] : std::vector<std::array<std::string, 3>>{
           {"mlx5-kernel-not-ready", "kernel", R"(["move.managers"])"},
           {"mlx5-kernel-not-ready", "dpdk", "[]"},
           {"mlx5-dpdk-not-ready", "kernel", "[]"},
           {"mlx5-dpdk-not-ready", "dpdk", R"(["rdma.core","move.programs"])"},
           {"mlx5-initramfs-not-ready", "kernel", R"(["move.initramfs"])"},
           {"mlx5-next-kernel-not-ready", "kernel", "[]"},
           {"mlx5-next-kernel-not-ready", "dpdk", R"(["move.rdma-kernels"])"},
           {"mlx5-signatures-not-ready", "kernel", R"(["move.signatures"])"},
           {"mlx5-hugepages-not-ready", "dpdk", R"(["memory.hugepages"])"},
           {"mlx5-programs-not-ready", "kernel", "[]"},
           {"mlx5-programs-not-ready", "dpdk", R"(["move.programs"])"}}) {
    const auto outcome = manactl({"check", "--root", fixture(machine), "--json"});
    EXPECT_EQ(outcome.code, 1);
    const auto readiness = nlohmann::json::parse(outcome.out)["readiness"];
    EXPECT_EQ(readiness["forecast"], true);
    EXPECT_EQ(readiness[use]["reasons"].dump(), reasons);
    EXPECT_EQ(readiness[use]["ready"], reasons == "[]");
  }
  const auto other = manactl({"check", "--root", fixture("not-azure"), "--json"});
  EXPECT_EQ(other.code, 3);
  for (const auto* use : {"kernel", "dpdk"}) {
    const auto readiness = nlohmann::json::parse(other.out)["readiness"][use];
    EXPECT_EQ(readiness["ready"], false);
    EXPECT_EQ(readiness["reasons"].dump(), R"(["hardware.azure"])");
  }
}

// A NIC that prepare accepts is free, but the verdict may be that DPDK cannot use it.
TEST(Check, QualifiesAFreeNicIfTheVmIsNotReadyForDpdk) {
  for (const auto& machine : fixture_names()) {
    const auto text = manactl({"check", "--root", fixture(machine)}).out;
    const bool is_not_ready = text.find("Not ready with DPDK") != std::string::npos ||
                              text.find("Not ready for MANA:") != std::string::npos;
    EXPECT_EQ(is_not_ready && text.find("  yes\n") != std::string::npos, false) << text;
  }
  EXPECT_THAT(manactl({"check", "--root", fixture("driver-id-19")}).out,
              HasSubstr("  yes, but DPDK is not ready\n"));
}

// GRUB's menu decides whether a kernel without mana is a failure or a warning.
TEST(Check, ForecastsTheKernelThatGrubStartsByNumber) {
  const CopiedVm vm("mlx5-next-kernel-not-ready");
  vm.write("lib/modules/5.15.0-1019-azure/modules.dep", "kernel/drivers/net/hyperv/hv_netvsc.ko:");
  vm.remove("boot/grub/grubenv");
  vm.write("etc/default/grub", "GRUB_DEFAULT=\"1>0\"");
  const auto reasons = [&vm] {
    return nlohmann::json::parse(vm.run({"check", "--json"}).out)["readiness"]["kernel"]["reasons"]
        .dump();
  };
  EXPECT_EQ(reasons(), "[]") << "no menu";
  EXPECT_THAT(vm.run({"check", "--only", "move.kernels", "-v"}).out,
              HasSubstr("the next kernel is unknown: /etc/default/grub has GRUB_DEFAULT=1>0"));
  vm.write("boot/grub/grub.cfg",
           "menuentry 'Ubuntu' {\nlinux /boot/vmlinuz-6.14.0-1012-azure\n}\n"
           "submenu 'Advanced' {\nmenuentry 'Old' {\nlinux /boot/vmlinuz-5.15.0-1019-azure\n}\n}");
  EXPECT_EQ(reasons(), R"(["move.kernels"])");
}

TEST(Check, NamesTheReasonsInTheVerdict) {
  constexpr const char* kVerdict =
      "Ready for MANA with the kernel's network stack. Not ready with DPDK: no libmana is "
      "installed, and VPP selects 0102:00:02.0 of mlx5.\n";
  const auto outcome = manactl({"check", "--root", fixture("mlx5-dpdk-not-ready")});
  EXPECT_THAT(outcome.out, testing::EndsWith(kVerdict));
  const auto doctor = manactl({"doctor", "--root", fixture("mlx5-dpdk-not-ready")});
  EXPECT_THAT(doctor.out, HasSubstr(kVerdict)) << "doctor agrees";
  const auto kernel = manactl({"check", "--root", fixture("mlx5-kernel-not-ready")});
  EXPECT_THAT(kernel.out,
              testing::EndsWith("Not ready for MANA with the kernel's network stack: a network "
                                "manager will manage a VF of MANA. Ready with DPDK.\n"));
  const auto old = manactl({"check", "--root", fixture("kernel-old")});
  EXPECT_THAT(old.out,
              testing::EndsWith("Not ready for MANA with the kernel's network stack: the mana "
                                "driver is not loaded. Not ready with DPDK either: rdma-core has "
                                "no provider for MANA.\n"));
}

TEST(Check, JudgesOnlyTheNamedUse) {
  const auto kernel = manactl({"check", "--for", "kernel", "--root", fixture("no-hugepages")});
  EXPECT_EQ(kernel.code, 0);
  EXPECT_THAT(kernel.out, HasSubstr("Ready for MANA with the kernel's network stack."));
  const auto dpdk = manactl({"check", "--for", "dpdk", "--root", fixture("no-hugepages")});
  EXPECT_EQ(dpdk.code, 1);
  EXPECT_THAT(dpdk.out, testing::Not(HasSubstr("network stack")));
}

TEST(Check, MeasuresSpeedForAnInterval) {
  std::string err;
  const auto interval = [&err](std::vector<std::string> words) {
    words.insert(words.end(), {"--only", "speed", "--json"});
    const auto outcome = manactl(words);
    err = outcome.err;
    return nlohmann::json::parse(outcome.out).at("interval");
  };
  EXPECT_TRUE(interval({"check"}).is_null());
  EXPECT_EQ(err, "");
  const auto measured = interval({"check", "--interval", "50ms"});
  EXPECT_EQ(err, "manactl: measuring for 0.05 s\n");
  ASSERT_TRUE(measured.is_number());
  EXPECT_GE(measured.get<double>(), 0.04);  // the kernel reports hundredths of a second
}

TEST(Check, NamesWhatSlowsAVmDown) {
  const auto outcome = manactl({"check", "--root", fixture("slow-path")});
  EXPECT_EQ(outcome.code, 0);
  for (const char* text : {"8 queues interrupt 1 of 8 CPUs (0)",
                           "the device had no buffer for 1800 packets since boot",
                           "2 timeouts of send queues",
                           "wg0: WireGuard over MANA"}) {
    EXPECT_THAT(outcome.out, HasSubstr(text));
  }
}

TEST(Check, ReadsABundleAsArgument) {
  const auto outcome = manactl({"check", fixture("rdma-core-39")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("rdma-core 39 is older than 44"));
  EXPECT_EQ(manactl({"check", fixture("rdma-core-39"), "--root", fixture("kernel-old")}).code, 2);
}

TEST(CheckHelp, PrintsATableInColumns) {
  const auto outcome = manactl({"help", "rdma.driver-id"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("|")));
  EXPECT_THAT(outcome.out,
              HasSubstr("kernel reports                     libibverbs chose  result\n"
                        "20                                 mana              pass\n"));
}

TEST(CheckHelp, ListsTheChecksOfAGroup) {
  const auto outcome = manactl({"help", "memory"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              testing::StartsWith("Checks; 'manactl help CHECK' explains one:\n"
                                  "  memory.hugepages          hugepages are reserved and free\n"));
  EXPECT_THAT(outcome.out, testing::Not(HasSubstr("rdma.")));
  const auto part = manactl({"help", "rdma.d"}).out;
  EXPECT_THAT(part, HasSubstr("  rdma.devices "));
  EXPECT_THAT(part, HasSubstr("  rdma.driver-id "));
  EXPECT_THAT(part, testing::Not(HasSubstr("rdma.core")));
  EXPECT_THAT(manactl({"help", "rdma.c"}).out, HasSubstr("\n  rdma.core "));
}

TEST(Check, OfALogNamesTheCommandThatReadsIt) {
  const TemporaryDirectory directory;
  const auto path = directory.file("testpmd.log", "EAL: Detected CPU lcores: 2\n");
  const auto previous = std::filesystem::current_path();
  std::filesystem::current_path(directory.path("."));
  for (const auto* command : {"check", "status", "args"}) {
    const auto by_path = manactl({command, path});
    EXPECT_EQ(by_path.code, 2);
    EXPECT_THAT(by_path.err, HasSubstr("is neither a NIC nor a bundle: 'manactl doctor " + path));
    const auto by_name = manactl_on("healthy-two-nics", {command, "testpmd.log"});
    EXPECT_EQ(by_name.code, 2);
    EXPECT_THAT(by_name.err, HasSubstr("'testpmd.log' is neither a NIC nor a bundle: 'manactl"));
  }
  std::filesystem::current_path(previous);
  EXPECT_EQ(manactl_on("healthy-two-nics", {"check", "testpmd.log"}).code, 3);
}

}  // namespace
}  // namespace manactl::test::cmd_check_test
