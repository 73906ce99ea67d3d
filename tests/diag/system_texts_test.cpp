// SPDX-License-Identifier: MIT
//
// The complete findings of the checks of hardware and the kernel, with their commands.

#include "diag/vm.h"

namespace manactl::diag::system_texts_test {
namespace {

using host::Adapter;
using host::Facts;
using test::add_function;
using test::module;
using test::TextCase;

const std::vector<TextCase> kCases = {
    {"OnAzure",
     "hardware.azure",
     [](Facts&) {},
     "pass: the chassis asset tag is Azure's\n"
     "+ chassis tag"},
    {"OnHyperV",
     "hardware.azure",
     [](Facts& f) { f.platform = host::Platform{false, true, "no tag"}; },
     "warn: Hyper-V, but not Azure's chassis asset tag (no tag)"},
    {"ElsewhereWithoutEvidence",
     "hardware.azure",
     [](Facts& f) { f.platform = host::Platform{false, false, ""}; },
     "warn: the chassis asset tag is not Azure's"},
    {"Functions",
     "hardware.mana",
     [](Facts& f) { add_function(f).adapter = Adapter::mana_pf2; },
     "pass: 7870:00:00.0, 7871:00:00.0\n"
     "+ 7870:00:00.0: 1414:00ba, NUMA node 0\n"
     "+ 7871:00:00.0: 1414:00ba, NUMA node 1; net_mana up to DPDK 26.07 does not support this id"},
    {"Mellanox",
     "hardware.mana",
     [](Facts& f) {
       f.functions->at(0).adapter = Adapter::mlx;
       f.functions->push_back(f.functions->at(0));
       f.functions->back().adapter = Adapter::other;
     },
     "warn: no MANA function, but Mellanox hardware (7870:00:00.0)"},
    {"NoFunctionOnAnUnknownPlatform",
     "hardware.mana",
     [](Facts& f) {
       f.functions->clear();
       f.platform = test::unreadable();
     },
     "fail: no PCI function 1414:00ba, 1414:00b9 or 1414:00c1\n"
     "$ dmesg | grep 'VF slot'"},
    {"Drivers",
     "hardware.driver",
     [](Facts& f) { add_function(f); },
     "pass: 7870:00:00.0, 7871:00:00.0\n"
     "+ 7870:00:00.0 is bound to mana\n"
     "+ 7871:00:00.0 is bound to mana"},
    {"OtherDrivers",
     "hardware.driver",
     [](Facts& f) {
       add_function(f).driver = "vfio-pci";
       f.functions->at(0).driver.clear();
     },
     "fail: 7870:00:00.0 has no driver; 7871:00:00.0 is bound to vfio-pci\n"
     "+ 7870:00:00.0 has no driver\n"
     "+ 7871:00:00.0 is bound to vfio-pci\n"
     "$ modprobe mana\n"
     "$ echo 7870:00:00.0 | tee /sys/bus/pci/drivers_probe\n"
     "$ echo | tee /sys/bus/pci/devices/7871:00:00.0/driver_override\n"
     "$ echo 7871:00:00.0 | tee /sys/bus/pci/devices/7871:00:00.0/driver/unbind\n"
     "$ echo 7871:00:00.0 | tee /sys/bus/pci/drivers_probe"},
    {"Ports",
     "hardware.ports",
     [](Facts& f) { add_function(f); },
     "pass: 7870:00:00.0 has 2 ports, 7871:00:00.0 has 1 port\n"
     "+ 7870:00:00.0, slot 2: 2 ports (enP30832s1, enP30832s1d1)\n"
     "+ 7871:00:00.0, no slot: 1 port (enP30833s1)"},
    {"NoPorts",
     "hardware.ports",
     [](Facts& f) {
       add_function(f).netdevs.clear();
       f.functions->at(0).netdevs.clear();
     },
     "fail: 7870:00:00.0, slot 2: no port; 7871:00:00.0, no slot: no port\n"
     "+ 7870:00:00.0, slot 2: no port\n"
     "+ 7871:00:00.0, no slot: no port\n"
     "$ dmesg | grep -i mana"},
    {"Mlx5", "hardware.coexistence", [](Facts&) {}, "pass: mlx5_core is available"},
    {"Mlx5Loaded",
     "hardware.coexistence",
     [](Facts& f) { module(f, "mlx5_core").presence = Presence::loaded; },
     "pass: mlx5_core is loaded"},
    {"Mlx5BuiltIn",
     "hardware.coexistence",
     [](Facts& f) { module(f, "mlx5_core").presence = Presence::builtin; },
     "pass: mlx5_core is built in"},
    {"Mlx5Blacklisted",
     "hardware.coexistence",
     [](Facts& f) { module(f, "mlx5_core").presence = Presence::blacklisted; },
     "warn: mlx5_core is blacklisted\n"
     "$ grep -r mlx5_core /etc/modprobe.d"},
    {"Mlx5Missing",
     "hardware.coexistence",
     [](Facts& f) { module(f, "mlx5_core").presence = Presence::missing; },
     "warn: mlx5_core is missing\n"
     "$ apt-get update\n"
     "$ apt-get install -y linux-modules-extra-6.14.0-1017-azure\n"
     "$ modprobe mlx5_core"},
    {"Mlx5Unknown",
     "hardware.coexistence",
     [](Facts& f) { f.modules.clear(); },
     "skipped: no information about module mlx5_core"},
    {"Kernel",
     "kernel.version",
     [](Facts&) {},
     "pass: 6.14.0-1017-azure\n"
     "+ the kernel that Microsoft requires for DPDK on MANA"},
    {"KernelOfUbuntu",
     "kernel.version",
     [](Facts& f) {
       f.kernel = host::Kernel{"5.4.0", "x86_64", "ubuntu"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "warn: 5.4.0: older than 5.15, the first kernel with a usable mana driver"},
    {"KernelOfRedHat",
     "kernel.version",
     [](Facts& f) {
       f.kernel = host::Kernel{"5.14.0", "x86_64", "rocky"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "warn: 5.14.0: older than 5.15, the first kernel with a usable mana driver\n"
     "$ dnf upgrade -y kernel"},
    {"FirstBackportOfRedHat",
     "kernel.version",
     [](Facts& f) { f.kernel = host::Kernel{"5.14.0-362.el9", "x86_64", "rhel"}; },
     "pass: 5.14.0-362.el9\n"
     "+ RHEL's backport: mana_ib since 9.3"},
    {"KernelOfDebian",
     "kernel.version",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.1.0", "x86_64", "debian"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "warn: 6.1.0: Linux before 6.2 has the mana driver but not mana_ib, which DPDK needs\n"
     "$ apt-get update\n"
     "$ apt-get indextargets --format 'deb $(REPO_URI) bookworm-backports main' "
     "'Label: Debian' | sort -u | tee /etc/apt/sources.list.d/backports.list\n"
     "$ apt-get update\n"
     "$ apt-get install -y -t bookworm-backports linux-image-cloud-amd64"},
    {"KernelOfDebianOnArm",
     "kernel.version",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.1.0", "aarch64", "debian"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "warn: 6.1.0: Linux before 6.2 has the mana driver but not mana_ib, which DPDK needs\n"
     "$ apt-get update\n"
     "$ apt-get indextargets --format 'deb $(REPO_URI) bookworm-backports main' "
     "'Label: Debian' | sort -u | tee /etc/apt/sources.list.d/backports.list\n"
     "$ apt-get update\n"
     "$ apt-get install -y -t bookworm-backports linux-image-cloud-arm64"},
    {"KernelOfAzureLinux",
     "kernel.version",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.6.0", "x86_64", "mariner"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "warn: 6.6.0: mana_ib exists since 6.2, but Microsoft requires 6.14 or its backport\n"
     "$ tdnf update -y"},
    {"ModuleAvailable",
     "kernel.ib-uverbs",
     [](Facts& f) { module(f, "ib_uverbs").presence = Presence::available; },
     "fail: ib_uverbs is available but not loaded\n"
     "$ modprobe ib_uverbs"},
    {"ModuleBlacklisted",
     "kernel.mana",
     [](Facts& f) {
       module(f, "mana").presence = Presence::blacklisted;
       module(f, "mana").evidence = "proc/cmdline";
     },
     "fail: mana is blacklisted (proc/cmdline)\n"
     "$ modprobe mana"},
    {"ModuleBlacklistedInAFile",
     "kernel.uio-hv-generic",
     [](Facts& f) {
       module(f, "uio_hv_generic").presence = Presence::blacklisted;
       module(f, "uio_hv_generic").evidence = "etc/modprobe.d/my list";
     },
     "warn: uio_hv_generic is blacklisted (etc/modprobe.d/my list)\n"
     "$ sed -i -E 's/^(blacklist|install) +uio_hv_generic( |$)/# &/' '/etc/modprobe.d/my list'\n"
     "$ modprobe uio_hv_generic"},
    {"ModuleMissingOnAnotherKernelOfUbuntu",
     "kernel.mana-ib",
     [](Facts& f) {
       f.kernel->release = "6.8.0-90-generic";
       module(f, "mana_ib").presence = Presence::missing;
     },
     "fail: mana_ib is missing from kernel 6.8.0-90-generic\n"
     "$ apt-get update\n"
     "$ apt-get install -y linux-azure linux-modules-extra-azure"},
    {"ModuleMissingOnUbuntu2004",
     "kernel.mana-ib",
     [](Facts& f) {
       f.kernel->release = "5.15.0-139-generic";
       f.kernel->distribution_release = "20.04";
       module(f, "mana_ib").presence = Presence::missing;
     },
     "fail: mana_ib is missing from kernel 5.15.0-139-generic"},
    {"ModuleMissingOnRedHat",
     "kernel.mana-ib",
     [](Facts& f) {
       f.kernel = host::Kernel{"5.14.0-1.el9", "x86_64", "almalinux"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "fail: mana_ib is missing from kernel 5.14.0-1.el9\n"
     "$ dnf upgrade -y kernel\n"
     "$ dnf install -y kernel-modules-extra"},
    {"ModuleMissingOnAzureLinux3",
     "kernel.mana-ib",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.12.1", "x86_64", "azurelinux"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "fail: mana_ib is missing from kernel 6.12.1"},
    {"ModuleMissingOnAzureLinux4",
     "kernel.mana-ib",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.18.1", "x86_64", "azurelinux"};
       module(f, "mana_ib").presence = Presence::missing;
     },
     "fail: mana_ib is missing from kernel 6.18.1\n"
     "$ tdnf update -y"},
    {"OtherModuleMissingOnAzureLinux3",
     "kernel.ib-uverbs",
     [](Facts& f) {
       f.kernel = host::Kernel{"6.6.1", "x86_64", "azurelinux"};
       module(f, "ib_uverbs").presence = Presence::missing;
     },
     "fail: ib_uverbs is missing from kernel 6.6.1\n"
     "$ tdnf update -y"},
    {"ModuleMissingFromAnUnknownKernel",
     "kernel.hv-netvsc",
     [](Facts& f) {
       f.kernel = test::unreadable();
       module(f, "hv_netvsc").presence = Presence::missing;
     },
     "fail: hv_netvsc is missing from the kernel"},
    {"HvNetvscMissingInUserSpace",
     "kernel.hv-netvsc",
     [](Facts& f) {
       f = test::prepared_vm();
       f.nics->erase(f.nics->begin());
       module(f, "hv_netvsc").presence = Presence::missing;
     },
     "fail: hv_netvsc is missing from kernel 6.14.0-1017-azure\n"
     "$ apt-get update\n"
     "$ apt-get install -y linux-modules-extra-6.14.0-1017-azure\n"
     "$ modprobe hv_netvsc"},
    {"HvNetvscWithoutNics",
     "kernel.hv-netvsc",
     [](Facts& f) {
       f.nics->clear();
       module(f, "hv_netvsc").presence = Presence::available;
     },
     "fail: hv_netvsc is available but not loaded\n"
     "$ modprobe hv_netvsc"},
};

class SystemText : public testing::TestWithParam<TextCase> {};

TEST_P(SystemText, IsComplete) {
  EXPECT_EQ(test::text_of(GetParam()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(All, SystemText, testing::ValuesIn(kCases), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::diag::system_texts_test
