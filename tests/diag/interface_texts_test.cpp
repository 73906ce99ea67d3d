// SPDX-License-Identifier: MIT
//
// The complete findings of the checks of interfaces, with their commands.

#include "diag/vm.h"

namespace manactl::diag::interface_texts_test {
namespace {

using host::Facts;
using host::PathCounters;
using test::nic;
using test::prepared_vm;
using test::TextCase;

void unbind(Facts& f) {
  f = prepared_vm();
  nic(f, 1).vmbus_driver.clear();
  nic(f, 1).uio.clear();
}

void set_all_synthetic_down(Facts& f) {
  nic(f, 1).synthetic->up = nic(f, 0).synthetic->up = false;
}

// A MANA NIC whose link is down, next to one without a VF that has no carrier.
void break_single_links(Facts& f) {
  nic(f, 0).synthetic.reset();
  nic(f, 0).vmbus.reset();
  nic(f, 0).vf->up = false;
  nic(f, 1).vf.reset();
  nic(f, 1).synthetic->running = false;
}

void set_path(Facts& f, const PathCounters& counters) {
  f.nics->erase(f.nics->begin());
  nic(f, 0).counters = counters;
}

const std::vector<TextCase> kCases = {
    {"BindingToBoth",
     "interfaces.binding",
     [](Facts& f) { f = prepared_vm(); },
     "pass: eth0, enP30832s1d1 (uio_hv_generic)\n"
     "+ eth0 is bound to hv_netvsc\n"
     "+ enP30832s1d1 is bound to uio_hv_generic"},
    {"BindingOfManaDirect",
     "interfaces.binding",
     [](Facts& f) { f = test::direct_vm(); },
     "pass: enP30832s1 (MANA direct)\n"
     "+ enP30832s1 is MANA direct and needs no VMBus driver"},
    {"BindingToNothing",
     "interfaces.binding",
     unbind,
     "fail: enP30832s1d1: VMBus device 6045bdc0-bd67-6045-bdc0-bd676045bdc0 has no driver\n"
     "+ eth0 is bound to hv_netvsc\n"
     "+ enP30832s1d1: VMBus device 6045bdc0-bd67-6045-bdc0-bd676045bdc0 has no driver\n"
     "$ manactl restore enP30832s1d1"},
    {"Pairing",
     "interfaces.pairing",
     [](Facts&) {},
     "pass: eth0 (enP30832s1), eth1 (enP30832s1d1)\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ eth1 has VF enP30832s1d1 (7870:00:00.0, port 1), paired by master"},
    {"PairingInUserSpace",
     "interfaces.pairing",
     [](Facts& f) { f = prepared_vm(); },
     "pass: eth0 (enP30832s1), enP30832s1d1\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ enP30832s1d1 has VF enP30832s1d1 (7870:00:00.0, port 1)"},
    {"PairingOfManaDirect",
     "interfaces.pairing",
     [](Facts& f) { f = test::direct_vm(); },
     "pass: enP30832s1 (MANA direct)\n"
     "+ enP30832s1 (7870:00:00.0, port 0): MANA direct, no synthetic NIC"},
    {"PairingOfAnUnboundNic",
     "interfaces.pairing",
     unbind,
     "pass: eth0 (enP30832s1), enP30832s1d1\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ enP30832s1d1 has VF enP30832s1d1 (7870:00:00.0, port 1)"},
    {"PairingOfVfsWithoutAddressOrPort",
     "interfaces.pairing",
     [](Facts& f) {
       nic(f, 0).vf->pci.reset();
       nic(f, 1).vf->dev_port.reset();
     },
     "pass: eth0 (enP30832s1), eth1 (enP30832s1d1)\n"
     "+ eth0 has VF enP30832s1 (no PCI address, port 0), paired by master\n"
     "+ eth1 has VF enP30832s1d1 (7870:00:00.0), paired by master"},
    {"PairingWithoutVfs",
     "interfaces.pairing",
     [](Facts& f) {
       for (auto& one : *f.nics) one.vf.reset();
     },
     "fail: eth1 has no VF: synthetic path only\n"
     "+ eth0 has no VF (it carries SSH session from 10.1.0.9; default route)\n"
     "+ eth1 has no VF: synthetic path only\n"
     "$ dmesg | grep -iE 'hv_netvsc|mana|VF slot'"},
    {"PairingWithoutVfInUserSpace",
     "interfaces.pairing",
     [](Facts& f) {
       f = prepared_vm();
       nic(f, 1).vf.reset();
       nic(f, 1).carries = {"default route"};
     },
     "fail: 6045bdc0-bd67-6045-bdc0-bd676045bdc0 is in user space and has no VF: synthetic path "
     "only\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ 6045bdc0-bd67-6045-bdc0-bd676045bdc0 is in user space and has no VF: synthetic path only\n"
     "$ dmesg | grep -iE 'hv_netvsc|mana|VF slot'"},
    {"PairingOfDifferentAddresses",
     "interfaces.pairing",
     [](Facts& f) { nic(f, 1).vf->mac.bytes[5] ^= 1U; },
     "fail: eth1 has VF enP30832s1d1 (7870:00:00.0, port 1), but the MAC addresses differ: "
     "60:45:bd:c0:bd:67 and 60:45:bd:c0:bd:66\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ eth1 has VF enP30832s1d1 (7870:00:00.0, port 1), but the MAC addresses differ: "
     "60:45:bd:c0:bd:67 and 60:45:bd:c0:bd:66\n"
     "$ dmesg | grep -iE 'hv_netvsc|mana|VF slot'"},
    {"PairingWithAnotherMaster",
     "interfaces.pairing",
     [](Facts& f) { nic(f, 1).vf->master = 2; },
     "fail: enP30832s1d1 (7870:00:00.0, port 1) has the MAC address of eth1, but hv_netvsc has not "
     "paired them\n"
     "+ eth0 has VF enP30832s1 (7870:00:00.0, port 0), paired by master\n"
     "+ enP30832s1d1 (7870:00:00.0, port 1) has the MAC address of eth1, but hv_netvsc has not "
     "paired them\n"
     "$ dmesg | grep -iE 'hv_netvsc|mana|VF slot'"},
    {"Links",
     "interfaces.links",
     [](Facts&) {},
     "pass: eth0, eth1\n"
     "+ eth0 and its VF enP30832s1 are up\n"
     "+ eth1 and its VF enP30832s1d1 are up"},
    {"LinksOfDirect",
     "interfaces.links",
     [](Facts& f) { f = test::direct_vm(); },
     "pass: enP30832s1\n"
     "+ enP30832s1 is up"},
    {"LinksWithoutCarrier",
     "interfaces.links",
     [](Facts& f) { nic(f, 0).synthetic->running = false; },
     "warn: eth0 is up but has no carrier\n"
     "+ eth0 is up but has no carrier\n"
     "+ eth1 and its VF enP30832s1d1 are up"},
    {"LinksWithOnlyTheVfUp",
     "interfaces.links",
     set_all_synthetic_down,
     "warn: eth0 is down but its VF enP30832s1 is up; eth1 is down but its VF enP30832s1d1 is up\n"
     "+ eth0 is down but its VF enP30832s1 is up\n"
     "+ eth1 is down but its VF enP30832s1d1 is up\n"
     "$ ip link set dev enP30832s1d1 down"},
    {"LinksOfSingleInterfaces",
     "interfaces.links",
     break_single_links,
     "warn: enP30832s1 is down; eth1 is up but has no carrier\n"
     "+ enP30832s1 is down\n"
     "+ eth1 is up but has no carrier\n"
     "$ ip link set dev enP30832s1 up"},
    {"LinksOfUnboundNics",
     "interfaces.links",
     [](Facts& f) {
       unbind(f);
       f.nics->erase(f.nics->begin());
     },
     "skipped: every NIC is in user space: see interfaces.prepared"},
    {"Prepared",
     "interfaces.prepared",
     [](Facts& f) { f = prepared_vm(); },
     "pass: enP30832s1d1 (uio0, VF down)\n"
     "+ enP30832s1d1 is uio0, VF enP30832s1d1 is down"},
    {"PreparedWithoutUio",
     "interfaces.prepared",
     [](Facts& f) {
       f = prepared_vm();
       nic(f, 1).uio.clear();
     },
     "fail: enP30832s1d1 is bound to uio_hv_generic but has no UIO device"},
    {"PreparedWithoutVf",
     "interfaces.prepared",
     [](Facts& f) {
       f = prepared_vm();
       nic(f, 1).vf.reset();
     },
     "fail: 6045bdc0-bd67-6045-bdc0-bd676045bdc0 is uio0 but has no VF"},
    {"PreparedWithAVfThatIsUp",
     "interfaces.prepared",
     [](Facts& f) {
       f = prepared_vm();
       nic(f, 1).vf->up = true;
     },
     "fail: enP30832s1d1 is uio0 but its VF enP30832s1d1 is up and keeps the port busy\n"
     "$ ip link set dev enP30832s1d1 down"},
    {"PreparedMellanoxUp",
     "interfaces.prepared",
     [](Facts& f) {
       f = prepared_vm();
       nic(f, 1).vf->driver = "mlx5_core";
       nic(f, 1).vf->up = true;
     },
     "pass: enP30832s1d1 (uio0, VF up)\n"
     "+ enP30832s1d1 is uio0, VF enP30832s1d1 is up"},
    {"SpareWithBusyNics",
     "interfaces.spare",
     [](Facts& f) {
       nic(f, 0).carries = {"default route", "SSH session from 10.1.0.9"};
       nic(f, 1).carries = {"NFS (10.1.0.3)", "default route"};
       f.nics->push_back(nic(f, 1));
       f.nics->back().synthetic->name = "eth2";
       f.nics->back().carries.clear();
     },
     "pass: eth2 (eth0 carries SSH session, default route; eth1 carries NFS, default route)\n"
     "+ eth0 carries default route, SSH session from 10.1.0.9\n"
     "+ eth1 carries NFS (10.1.0.3), default route\n"
     "+ eth2 carries neither SSH nor the default route"},
    {"SpareWithoutUse",
     "interfaces.spare",
     [](Facts& f) { nic(f, 0).carries.clear(); },
     "pass: eth0, eth1\n"
     "+ eth0 carries neither SSH nor the default route\n"
     "+ eth1 carries neither SSH nor the default route"},
    {"SpareWithoutFreeNic",
     "interfaces.spare",
     [](Facts& f) { nic(f, 1).carries = {"NFS (10.1.0.3)", "default route"}; },
     "warn: eth0 carries SSH session, default route; eth1 carries NFS, default route\n"
     "+ eth0 carries SSH session from 10.1.0.9, default route\n"
     "+ eth1 carries NFS (10.1.0.3), default route"},
    {"UnmanagedVfs",
     "interfaces.unmanaged",
     [](Facts&) {},
     "pass: enP30832s1, enP30832s1d1\n"
     "+ enP30832s1 is unmanaged (etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules)\n"
     "+ enP30832s1d1 is unmanaged (etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules)"},
    {"ManagedOnDebian",
     "interfaces.unmanaged",
     [](Facts& f) {
       f.kernel->distribution = "debian";
       nic(f, 1).management = host::Management{false, "no rule"};
     },
     "warn: enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "+ enP30832s1 is unmanaged (etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules)\n"
     "+ enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "$ printf '%s\\n' '[Match]' 'Driver=mana mlx4_core mlx4_en mlx5_core' '[Link]' Unmanaged=yes "
     "| tee "
     "/etc/systemd/network/01-azure-vf.network\n"
     "$ networkctl reload"},
    {"ManagedOnAzureLinux",
     "interfaces.unmanaged",
     [](Facts& f) {
       f.kernel->distribution = "azurelinux";
       nic(f, 1).management = host::Management{false, "no rule"};
     },
     "warn: enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "+ enP30832s1 is unmanaged (etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules)\n"
     "+ enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "$ printf '%s\\n' '[Match]' 'Driver=mana mlx4_core mlx4_en mlx5_core' '[Link]' Unmanaged=yes "
     "| tee "
     "/etc/systemd/network/01-azure-vf.network\n"
     "$ networkctl reload"},
    {"ManagedOnSuse",
     "interfaces.unmanaged",
     [](Facts& f) {
       f.kernel->distribution = "sles";
       nic(f, 1).management = host::Management{false, "no rule"};
     },
     "warn: enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "+ enP30832s1 is unmanaged (etc/udev/rules.d/68-azure-sriov-nm-unmanaged.rules)\n"
     "+ enP30832s1d1 is not marked as unmanaged (no rule)\n"
     "$ printf '%s\\n' '[keyfile]' "
     "'unmanaged-devices+=driver:mana;driver:mlx4_core;driver:mlx5_core' | tee "
     "/etc/NetworkManager/conf.d/99-azure-vf.conf\n"
     "$ nmcli general reload conf"},
    {"ManagedWithoutVf",
     "interfaces.unmanaged",
     [](Facts& f) {
       nic(f, 0).vf.reset();
       nic(f, 1).management = test::unreadable();
     },
     "unknown: enP30832s1d1: cannot read 'x': Permission denied"},
    {"PathOfDirect",
     "interfaces.path",
     [](Facts& f) { f = test::direct_vm(); },
     "pass: enP30832s1\n"
     "+ enP30832s1: MANA direct, no other path"},
    {"PathWithoutVfs",
     "interfaces.path",
     [](Facts& f) {
       nic(f, 0).vf.reset();
       nic(f, 1).vf.reset();
     },
     "fail: eth1: synthetic, it has no VF\n"
     "+ eth0: synthetic, it has no VF\n"
     "+ eth1: synthetic, it has no VF\n"
     "$ ethtool -S eth0 | grep -E '^ +vf_'\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathWithoutVfOfABusyNic",
     "interfaces.path",
     [](Facts& f) { nic(f, 0).vf.reset(); },
     "warn: eth0: synthetic, it has no VF\n"
     "+ eth0: synthetic, it has no VF\n"
     "+ eth1: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)\n"
     "$ ethtool -S eth0 | grep -E '^ +vf_'\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathUnpaired",
     "interfaces.path",
     [](Facts& f) { nic(f, 1).vf->master.reset(); },
     "fail: eth1: synthetic, VF enP30832s1d1 is not paired\n"
     "+ eth0: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)\n"
     "+ eth1: synthetic, VF enP30832s1d1 is not paired\n"
     "$ ethtool -S eth0 | grep -E '^ +vf_'\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathWithVfDown",
     "interfaces.path",
     [](Facts& f) { nic(f, 1).vf->up = false; },
     "fail: eth1: synthetic, VF enP30832s1d1 is down\n"
     "+ eth0: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)\n"
     "+ eth1: synthetic, VF enP30832s1d1 is down\n"
     "$ ethtool -S eth0 | grep -E '^ +vf_'\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathWithBothDown",
     "interfaces.path",
     [](Facts& f) { nic(f, 1).vf->up = nic(f, 1).synthetic->up = false; },
     "pass: eth0 98.8 %, eth1 98.8 %\n"
     "+ eth0: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)\n"
     "+ eth1: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)"},
    {"PathOfUnboundNics",
     "interfaces.path",
     unbind,
     "pass: eth0 98.8 %\n"
     "+ eth0: VF (vf_rx_packets 5000 of 5100, vf_tx_packets 4000 of 4010)"},
    {"PathWithoutTraffic",
     "interfaces.path",
     [](Facts& f) { set_path(f, {}); },
     "unknown: eth1: no traffic since boot"},
    {"PathHalf",
     "interfaces.path",
     [](Facts& f) { set_path(f, {250, 250, 400, 600}); },
     "pass: eth1 50.0 %\n"
     "+ eth1: VF (vf_rx_packets 250 of 400, vf_tx_packets 250 of 600)"},
    {"PathRounded",
     "interfaces.path",
     [](Facts& f) { set_path(f, {550, 550, 600, 600}); },
     "pass: eth1 91.7 %\n"
     "+ eth1: VF (vf_rx_packets 550 of 600, vf_tx_packets 550 of 600)"},
    {"PathFewPackets",
     "interfaces.path",
     [](Facts& f) { set_path(f, {5, 6, 6, 6}); },
     "pass: eth1 11 of 12 packets\n"
     "+ eth1: VF (vf_rx_packets 5 of 6, vf_tx_packets 6 of 6)"},
    {"PathLessThanHalf",
     "interfaces.path",
     [](Facts& f) { set_path(f, {250, 249, 400, 600}); },
     "warn: eth1: mostly synthetic (vf_rx_packets 250 of 400, vf_tx_packets 249 of 600)\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathOneVfPacket",
     "interfaces.path",
     [](Facts& f) { set_path(f, {1, 0, 500, 500}); },
     "warn: eth1: mostly synthetic (vf_rx_packets 1 of 500, vf_tx_packets 0 of 500)\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathSynthetic",
     "interfaces.path",
     [](Facts& f) { set_path(f, {0, 0, 500, 500}); },
     "fail: eth1: synthetic (vf_rx_packets 0 of 500, vf_tx_packets 0 of 500)\n"
     "$ ethtool -S eth1 | grep -E '^ +vf_'\n"
     "$ dmesg | grep 'Data path switched'"},
    {"PathTooLittle",
     "interfaces.path",
     [](Facts& f) { set_path(f, {0, 0, 500, 499}); },
     "unknown: eth1: too little traffic (vf_rx_packets 0 of 500, vf_tx_packets 0 of 499)"},
    {"PathOnlyVf",
     "interfaces.path",
     [](Facts& f) { set_path(f, {700, 800, 0, 0}); },
     "pass: eth1 100.0 %\n"
     "+ eth1: VF (vf_rx_packets 700 of 0, vf_tx_packets 800 of 0)"},
};

class InterfaceText : public testing::TestWithParam<TextCase> {};

TEST_P(InterfaceText, IsComplete) {
  EXPECT_EQ(test::text_of(GetParam()), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(All, InterfaceText, testing::ValuesIn(kCases), [](const auto& one) {
  return std::string(one.param.name);
});

}  // namespace
}  // namespace manactl::diag::interface_texts_test
