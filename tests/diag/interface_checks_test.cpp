// SPDX-License-Identifier: MIT

#include "diag/vm.h"

namespace manactl::diag::interface_checks_test {
namespace {

using test::commands_of;
using test::direct_vm;
using test::healthy_vm;
using test::nic;
using test::prepared_vm;
using test::run_check;
using testing::HasSubstr;
using testing::Not;

TEST(InterfacesBinding, FailsForANicWithoutADriver) {
  host::Facts facts = prepared_vm();
  EXPECT_EQ(run_check(facts, "interfaces.binding").status, Status::pass);
  nic(facts, 1).vmbus_driver.clear();
  nic(facts, 1).uio.clear();
  const Finding finding = run_check(facts, "interfaces.binding");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(commands_of(finding), "manactl restore enP30832s1d1");
  ASSERT_EQ(finding.remedy->others.size(), 1U);
  EXPECT_THAT(finding.remedy->others[0].commands,
              testing::ElementsAre("modprobe hv_netvsc",
                                   "echo 6045bdc0-bd67-6045-bdc0-bd676045bdc0 | tee "
                                   "/sys/bus/vmbus/drivers/hv_netvsc/bind"));
  EXPECT_EQ(run_check(facts, "interfaces.links").status, Status::pass);
  EXPECT_EQ(run_check(direct_vm(), "interfaces.binding").status, Status::pass);
}

TEST(InterfacesPairing, NamesVfFunctionAndPort) {
  const Finding finding = run_check(healthy_vm(), "interfaces.pairing");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_THAT(finding.evidence,
              testing::Contains(HasSubstr("eth1 has VF enP30832s1d1 (7870:00:00.0, port 1)")));
}

TEST(InterfacesPairing, FailsForANicWithoutVf) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).vf.reset();
  const Finding finding = run_check(facts, "interfaces.pairing");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("eth1 has no VF"));
}

TEST(InterfacesPairing, OnlyWarnsForTheNicThatCarriesSsh) {
  host::Facts facts = healthy_vm();
  nic(facts, 0).vf.reset();
  EXPECT_EQ(run_check(facts, "interfaces.pairing").status, Status::warn);
}

TEST(InterfacesPairing, FailsForAnOrphanedVfAndForDifferentAddresses) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).vf->master.reset();
  nic(facts, 1).paired_by = "MAC address";
  EXPECT_EQ(run_check(facts, "interfaces.pairing").status, Status::fail);
  facts = healthy_vm();
  nic(facts, 1).vf->mac.bytes[5] ^= 1U;
  EXPECT_THAT(run_check(facts, "interfaces.pairing").detail, HasSubstr("MAC addresses differ"));
}

TEST(InterfacesPairing, PassesForManaDirectAndForAPreparedNic) {
  const Finding direct = run_check(direct_vm(), "interfaces.pairing");
  EXPECT_EQ(direct.status, Status::pass);
  EXPECT_THAT(direct.detail, HasSubstr("MANA direct"));
  host::Facts facts = prepared_vm();
  EXPECT_EQ(run_check(facts, "interfaces.pairing").status, Status::pass);
  nic(facts, 1).vf.reset();
  EXPECT_EQ(run_check(facts, "interfaces.pairing").status, Status::fail);
}

TEST(InterfacesLinks, FailWhenOnlyTheVfIsDown) {
  host::Facts facts = healthy_vm();
  nic(facts, 0).vf->up = false;
  const Finding finding = run_check(facts, "interfaces.links");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(commands_of(finding), "ip link set dev enP30832s1 up");
}

TEST(InterfacesLinks, WarnWhenOnlyTheVfIsUpOrBothAreDown) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).synthetic->up = false;
  EXPECT_EQ(run_check(facts, "interfaces.links").status, Status::warn);
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.links")), "ip link set dev enP30832s1d1 down");
  nic(facts, 1).vf->up = false;
  EXPECT_EQ(run_check(facts, "interfaces.links").status, Status::warn);
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.links")), "ip link set dev eth1 up");
}

TEST(InterfacesLinks, FailIfTheVfHasASmallerMtu) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).synthetic->mtu = 4000;
  const Finding finding = run_check(facts, "interfaces.links");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(commands_of(finding), "ip link set dev enP30832s1d1 mtu 4000");
  nic(facts, 1).vf->mtu = 9000;
  EXPECT_EQ(run_check(facts, "interfaces.links").status, Status::pass);
}

TEST(InterfacesLinks, WarnWithoutCarrier) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).synthetic->running = false;
  EXPECT_THAT(run_check(facts, "interfaces.links").detail,
              HasSubstr("eth1 is up but has no carrier"));
}

TEST(InterfacesLinks, NeverSuggestSettingTheAdministratorsLinkDown) {
  host::Facts facts = healthy_vm();
  nic(facts, 0).synthetic->up = false;
  const Finding finding = run_check(facts, "interfaces.links");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(commands_of(finding), "");
}

TEST(InterfacesLinks, QuoteNamesThatAShellWouldExecute) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).synthetic->name = "$(reboot)";
  nic(facts, 1).synthetic->up = nic(facts, 1).vf->up = false;
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.links")), "ip link set dev '$(reboot)' up");
}

TEST(InterfacesPrepared, IsSkippedWithoutANicInUserSpace) {
  EXPECT_EQ(run_check(healthy_vm(), "interfaces.prepared").status, Status::skipped);
  EXPECT_EQ(run_check(prepared_vm(), "interfaces.prepared").status, Status::pass);
}

TEST(InterfacesPrepared, FailsWhileTheManaVfIsUp) {
  host::Facts facts = prepared_vm();
  nic(facts, 1).vf->up = true;
  const Finding finding = run_check(facts, "interfaces.prepared");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(commands_of(finding), "ip link set dev enP30832s1d1 down");
}

TEST(InterfacesPrepared, FailsWithoutUioAndForAnMlxVfThatIsDown) {
  host::Facts facts = prepared_vm();
  nic(facts, 1).uio.clear();
  EXPECT_EQ(run_check(facts, "interfaces.prepared").status, Status::fail);
  facts = prepared_vm();
  nic(facts, 1).vf->driver = "mlx5_core";
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.prepared")),
            "ip link set dev enP30832s1d1 up");
  nic(facts, 1).vf.reset();
  EXPECT_EQ(run_check(facts, "interfaces.prepared").status, Status::fail);
}

TEST(InterfacesPrepared, SuggestsNoCommandIfTheUserOfTheNicIsUnknown) {
  host::Facts facts = prepared_vm();
  nic(facts, 1).vf->up = true;
  facts.carries_complete = test::unreadable();
  EXPECT_EQ(run_check(facts, "interfaces.prepared").status, Status::fail);
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.prepared")), "");
}

TEST(InterfacesSpare, ListsWhatEachNicCarriesAndTheFreeNics) {
  const Finding finding = run_check(healthy_vm(), "interfaces.spare");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_EQ(finding.detail, "eth1 (eth0 carries SSH session, default route)");
  EXPECT_THAT(finding.evidence,
              testing::Contains("eth0 carries SSH session from 10.1.0.9, default route"));
}

TEST(InterfacesSpare, WarnsIfNoNicIsFree) {
  host::Facts facts = healthy_vm();
  facts.nics->pop_back();
  EXPECT_EQ(run_check(facts, "interfaces.spare").status, Status::warn);
}

TEST(InterfacesSpare, WarnsIfAnotherInterfaceUsesTheNic) {
  host::Facts facts = healthy_vm();
  facts.nics->back().uppers = {"vlan eth1.5 is stacked on it"};
  const Finding finding = run_check(facts, "interfaces.spare");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(finding.detail, testing::HasSubstr("eth1: vlan eth1.5 is stacked on it"));
}

TEST(InterfacesSpare, NamesTheFreeNicIfAnotherOneIsChecked) {
  CheckOptions options;
  options.interface = "eth0";
  const Finding finding = run_check(healthy_vm(), "interfaces.spare", options);
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_EQ(finding.detail, "eth0 carries SSH session, default route; eth1 is free");
  EXPECT_EQ(commands_of(finding), "manactl prepare eth1");
}

TEST(InterfacesSpare, IsUnknownIfRoutesCouldNotBeRead) {
  host::Facts facts = healthy_vm();
  facts.carries_complete = test::unreadable();
  EXPECT_EQ(run_check(facts, "interfaces.spare").status, Status::unknown);
}

TEST(InterfacesUnmanaged, SuggestsARuleForTheDistribution) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).management = host::Management{false, "no rule names driver mana"};
  EXPECT_THAT(commands_of(run_check(facts, "interfaces.unmanaged")),
              HasSubstr("/etc/systemd/network/"));
  facts.kernel->distribution = "rhel";
  const Finding finding = run_check(facts, "interfaces.unmanaged");
  EXPECT_EQ(finding.status, Status::warn);
  EXPECT_THAT(commands_of(finding), HasSubstr("driver:mana"));
  EXPECT_THAT(commands_of(finding), HasSubstr("/etc/NetworkManager/conf.d/"));
}

TEST(InterfacesUnmanaged, SuggestsNoRuleThatWouldDisconnectManaDirect) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).management = host::Management{false, ""};
  facts.nics->push_back(nic(facts, 0));
  facts.nics->back().synthetic.reset();
  facts.nics->back().vmbus.reset();
  EXPECT_EQ(run_check(facts, "interfaces.unmanaged").status, Status::warn);
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.unmanaged")), "");
}

TEST(InterfacesUnmanaged, FailsForAVfWithAnAddressAndSuggestsNoRule) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).management = host::Management{false, ""};
  nic(facts, 1).vf->addresses = {"fe80::1/64"};
  EXPECT_EQ(run_check(facts, "interfaces.unmanaged").status, Status::warn);
  nic(facts, 1).vf->addresses = {"fe80::1/64", "10.1.0.5/24"};
  EXPECT_EQ(run_check(facts, "interfaces.unmanaged").status, Status::fail);
  EXPECT_THAT(run_check(facts, "interfaces.unmanaged").detail,
              HasSubstr("enP30832s1d1 has the address 10.1.0.5/24"));
  EXPECT_EQ(commands_of(run_check(facts, "interfaces.unmanaged")), "");
}

TEST(InterfacesUnmanaged, IsUnknownIfUnreadableAndSkippedForManaDirect) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).management = test::unreadable();
  EXPECT_EQ(run_check(facts, "interfaces.unmanaged").status, Status::unknown);
  EXPECT_EQ(run_check(direct_vm(), "interfaces.unmanaged").status, Status::skipped);
}

TEST(InterfacesPath, PassesWithTheCountersAsEvidence) {
  const Finding finding = run_check(healthy_vm(), "interfaces.path");
  EXPECT_EQ(finding.status, Status::pass);
  EXPECT_EQ(finding.detail, "eth0 98.8 %, eth1 98.8 %");
  EXPECT_THAT(finding.evidence, testing::Contains(HasSubstr("vf_rx_packets 5000 of 5100")));
}

TEST(InterfacesPath, FailsIfNoPacketUsesThePairedVf) {
  host::Facts facts = healthy_vm();
  nic(facts, 0).counters = host::PathCounters{0, 0, 90000, 80000};
  const Finding finding = run_check(facts, "interfaces.path");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_THAT(finding.detail, HasSubstr("eth0: synthetic"));
  EXPECT_THAT(finding.detail, Not(HasSubstr("eth1")));
}

TEST(InterfacesPath, WarnsIfMostPacketsAvoidTheVf) {
  host::Facts facts = healthy_vm();
  nic(facts, 0).counters = host::PathCounters{100, 100, 90000, 80000};
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::warn);
}

TEST(InterfacesPath, IsUnknownWithoutEnoughTraffic) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).counters = host::PathCounters{};
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::unknown);
  nic(facts, 1).counters = host::PathCounters{0, 0, 20, 10};
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::unknown);
  nic(facts, 1).counters = test::unreadable();
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::unknown);
}

TEST(InterfacesPath, FailsIfTheVfIsMissingUnpairedOrDown) {
  host::Facts facts = healthy_vm();
  nic(facts, 1).vf->up = false;
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::fail);
  facts = healthy_vm();
  nic(facts, 1).vf->master.reset();
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::fail);
  nic(facts, 1).vf.reset();
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::fail);
}

TEST(InterfacesPath, IgnoresNicsInUserSpace) {
  host::Facts facts = prepared_vm();
  EXPECT_EQ(run_check(facts, "interfaces.path").status, Status::pass);
  CheckOptions options;
  options.interface = "enP30832s1d1";
  EXPECT_EQ(run_check(facts, "interfaces.path", options).status, Status::skipped);
  EXPECT_EQ(run_check(direct_vm(), "interfaces.path").status, Status::pass);
}

TEST(InterfacesPath, IsAConsequenceOfPairing) {
  EXPECT_THAT(find_check("interfaces.path")->caused_by, testing::Contains("interfaces.pairing"));
}

}  // namespace
}  // namespace manactl::diag::interface_checks_test
