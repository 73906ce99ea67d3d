// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/gather.h"
#include "support/fixtures.h"

namespace manactl::host::nics_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kLinks = "manactl/links.json";

// Adds an interface to links.json.
test::Edit with_link(const std::string& members) {
  return {kLinks,
          "\"links\": [",
          "\"links\": [{" + members +
              R"(, "alternative_names": [], "flags": 69699, "operstate": "up", "mtu": 1500,
                 "rx_packets": 0, "tx_packets": 0},)"};
}

// Sets the address and the master of the VF of eth1.
test::Edit second_vf(const std::string& mac_end, const std::string& master) {
  constexpr const char* kText = "\"mac\": \"00:0d:3a:76:{}\",\n   \"master\": {}";
  return {kLinks, fmt::format(kText, "3b:d1", 3), fmt::format(kText, mac_end, master)};
}

TEST(Pairing, IgnoresVlansBondsAndBridgesWithTheSameAddress) {
  const Facts facts = facts_of(
      "vf-unpaired",
      {with_link(R"("index": 20, "name": "eth1.5", "mac": "00:0d:3a:76:3b:d1", "master": null,
                    "lower": 3, "kind": "vlan")"),
       with_link(R"("index": 21, "name": "br0", "mac": "00:0d:3a:76:3b:d1", "master": null,
                    "lower": null, "kind": "bridge")")});
  const Nic* nic = facts.find_nic("eth1");
  ASSERT_NE(nic, nullptr);
  EXPECT_EQ(nic->vf->name, "enP30832p0s0d1");
  EXPECT_EQ(nic->paired_by, "MAC address");
  EXPECT_EQ(facts.find_nic("br0"), nullptr);
}

// A NIC with index 10 and a VF with index 11.
Nic nic_of(bool synthetic, bool vf) {
  Nic nic;
  if (synthetic) nic.synthetic.emplace().index = 10;
  if (vf) nic.vf.emplace().index = 11;
  return nic;
}

TEST(Uppers, AreTheInterfacesThatUseTheNic) {
  std::vector<os::Link> links;
  const auto add = [&links](int index, const char* name, const char* kind, int lower) {
    auto& link = links.emplace_back();
    link.index = index;
    link.name = name;
    link.kind = kind;
    if (lower != 0) link.lower = lower;
  };
  add(10, "eth1", "", 0);
  add(11, "vf1", "", 10);
  add(12, "a", "vlan", 10);
  add(13, "b", "", 11);
  add(14, "c", "vlan", 15);
  add(15, "bond0", "bond", 0);
  add(16, "br0", "bridge", 0);
  const auto texts = [&links](bool synthetic, bool vf) {
    auto nic = nic_of(synthetic, vf);
    if (nic.synthetic) nic.synthetic->master = 15;
    if (nic.vf) nic.vf->master = synthetic ? 10 : 16;
    add_uppers(links, nic);
    return nic.uppers;
  };
  EXPECT_THAT(texts(true, true),
              ElementsAre("vlan a is stacked on it",
                          "interface b is stacked on it",
                          "it is a member of bond bond0"));
  EXPECT_THAT(texts(true, false),
              ElementsAre("interface vf1 is stacked on it",
                          "vlan a is stacked on it",
                          "it is a member of bond bond0"));
  EXPECT_THAT(texts(false, true),
              ElementsAre("interface b is stacked on it", "it is a member of bridge br0"));
}

TEST(Uppers, AreGatheredWithTheNic) {
  const Facts facts = facts_of(
      "healthy-two-nics",
      {with_link(R"("index": 20, "name": "eth1.5", "mac": "00:0d:3a:76:3b:d1", "master": null,
                    "lower": 3, "kind": "vlan")")});
  EXPECT_THAT(facts.find_nic("eth1")->uppers, ElementsAre("vlan eth1.5 is stacked on it"));
  EXPECT_THAT(facts.find_nic("eth0")->uppers, IsEmpty());
}

TEST(Pairing, DoesNotGuessBetweenTwoVfsWithOneAddress) {
  // Neither VF has a master, and both have the address of eth0.
  const Facts facts =
      facts_of("healthy-two-nics",
               {{kLinks, "\"master\": 2", "\"master\": null"}, second_vf("3b:d0", "null")});
  for (const char* name : {"eth0", "eth1"}) {
    const Nic* nic = facts.find_nic(name);
    ASSERT_NE(nic, nullptr);
    EXPECT_FALSE(nic->vf) << name;
    EXPECT_EQ(nic->paired_by, "");
  }
}

// Adds synthetic interfaces. They have no files in sysfs, so that ethtool reports their driver.
std::vector<test::Edit> with_synthetic(int count) {
  std::string links = "\"links\": [", drivers = "\"interfaces\": {";
  for (int i = 0; i < count; ++i) {
    links += fmt::format(R"({{"index": {}, "name": "n{}", "mac": "00:00:00:00:00:00", "kind": "",
        "master": null, "lower": null, "alternative_names": [], "flags": 69699, "operstate": "up",
        "mtu": 1500, "rx_packets": 0, "tx_packets": 0}},)",
                         1000 + i,
                         i);
    drivers += fmt::format(R"("n{}": {{"driver": {{"driver": "hv_netvsc", "version": "",
        "bus_info": "", "firmware": ""}}}},)",
                           i);
  }
  return {{kLinks, "\"links\": [", links}, {"manactl/ethtool.json", "\"interfaces\": {", drivers}};
}

TEST(Pairing, FailsWithMoreDevicesThanAVmCanHave) {
  // The fixture has two synthetic interfaces and two VFs.
  const Facts most = facts_of("healthy-two-nics", with_synthetic(252));
  ASSERT_TRUE(most.nics);
  EXPECT_EQ(most.nics->size(), 254U);
  const Facts more = facts_of("healthy-two-nics", with_synthetic(253));
  ASSERT_FALSE(more.nics);
  EXPECT_THAT(more.nics.error().message, HasSubstr("more than 256"));
}

TEST(Pairing, PrefersTheMasterToTheAddress) {
  const Facts facts = facts_of("healthy-two-nics", {second_vf("3b:d0", "3")});
  EXPECT_EQ(facts.find_nic("eth0")->vf->name, "enP30832p0s0");
  EXPECT_EQ(facts.find_nic("eth1")->vf->name, "enP30832p0s0d1");
}

TEST(Pairing, AssignsTheOnlyVfLeftToThePreparedNic) {
  // The id of the channel does not contain the address of the VF.
  const Facts facts = facts_of("prepared-uio", {{kLinks, "3b:d1", "3b:77"}});
  const Nic* nic = facts.find_nic("enP30832p0s0d1");
  ASSERT_NE(nic, nullptr);
  EXPECT_TRUE(nic->is_prepared());
  EXPECT_EQ(nic->paired_by, "the only VF left");
}

TEST(Pairing, OmitsInterfacesThatDisappear) {
  // rtnetlink listed the interface, but sysfs and ethtool no longer have it.
  const Facts facts = facts_of(
      "healthy-two-nics",
      {with_link(R"("index": 30, "name": "gone0", "mac": "00:0d:3a:76:3b:d2", "master": null,
                    "lower": null, "kind": "")")});
  ASSERT_TRUE(facts.nics);
  EXPECT_EQ(facts.nics->size(), 2U);
  EXPECT_EQ(facts.find_nic("gone0"), nullptr);
}

TEST(Pairing, SkipsInvalidInterfaceNames) {
  const Facts facts = facts_of(
      "healthy-two-nics",
      {with_link(R"("index": 30, "name": "../../etc", "mac": "00:0d:3a:76:3b:d2", "master": null,
                    "lower": null, "kind": "")")});
  EXPECT_EQ(facts.nics->size(), 2U);
}

TEST(Pairing, UsesEthtoolIfSysfsBelongsToAnotherNamespace) {
  const auto system = test::edited_system(
      "not-azure",
      {{"manactl/links.json", "\"name\": \"eth0\"", "\"name\": \"eth9\""},
       {"manactl/ethtool.json",
        "",
        R"({"interfaces": {"eth9": {"driver": {"driver": "mana", "version": "6.14",
            "bus_info": "7870:00:00.0", "firmware": ""}}}})"}});
  const auto links = system->system().links.links();
  const auto nics = gather_nics(system->system(), *links);
  ASSERT_TRUE(nics);
  ASSERT_EQ(nics->size(), 1U);
  EXPECT_TRUE(nics->front().is_direct());
  EXPECT_EQ(nics->front().vf->pci->str(), "7870:00:00.0");
}

TEST(Pairing, PrefersTheDeviceOfRtnetlinkBecauseEthtoolTruncatesVmbusIds) {
  const auto system = test::edited_system(
      "not-azure",
      {{"manactl/links.json",
        "\"name\": \"eth0\"",
        R"("device": "000d3a76-3bd0-000d-3a76-3bd0000d3a76", "name": "eth9")"},
       {"manactl/ethtool.json",
        "",
        R"({"interfaces": {"eth9": {"driver": {"driver": "hv_netvsc", "version": "6.14",
            "bus_info": "000d3a76-3bd0-000d-3a76-3bd0000", "firmware": ""}}}})"}});
  const auto nics = gather_nics(system->system(), *system->system().links.links());
  ASSERT_TRUE(nics);
  ASSERT_EQ(nics->size(), 1U);
  EXPECT_EQ(nics->front().vmbus, VmbusId::parse("000d3a76-3bd0-000d-3a76-3bd0000d3a76"));
}

TEST(Functions, HaveNoSlotIfNoneHasTheirAddress) {
  const Facts facts =
      facts_of("healthy-two-nics", {{"sys/bus/pci/slots/1/address", "7870", "7871"}});
  EXPECT_EQ(facts.functions->front().slot, "");
}

TEST(Functions, AreEthernetControllersOnly) {
  const Facts facts = facts_of(
      "healthy-two-nics", {{"sys/devices/pci7870:00/7870:00:00.0/class", "0x020000", "0x028000"}});
  EXPECT_THAT(*facts.functions, IsEmpty());
}

TEST(Functions, IncludeThePfIds) {
  const auto with_id = [](const std::string& id) {
    return facts_of("healthy-two-nics",
                    {{"sys/devices/pci7870:00/7870:00:00.0/device", "0x00ba", id}});
  };
  EXPECT_EQ(with_id("0x00b9").functions->front().adapter, Adapter::mana_pf);
  EXPECT_EQ(with_id("0x00c1").functions->front().adapter, Adapter::mana_pf2);
  EXPECT_THAT(*with_id("0x00bb").functions, IsEmpty());
}

TEST(Facts, FindANicByEachOfItsNames) {
  const Facts facts = facts_of("healthy-two-nics",
                               {{kLinks,
                                 "\"eth0\",\n   \"alternative_names\": []",
                                 "\"eth0\",\n   \"alternative_names\": [\"data\"]"}});
  ASSERT_NE(facts.find_nic("eth0"), nullptr);
  EXPECT_EQ(facts.find_nic("enP30832p0s0"), facts.find_nic("eth0"));
  EXPECT_EQ(facts.find_nic("000d3a76-3bd0-000d-3a76-3bd0000d3a76"), facts.find_nic("eth0"));
  EXPECT_EQ(facts.find_nic("data"), facts.find_nic("eth0"));
  EXPECT_EQ(facts.find_nic("lo"), nullptr);
  EXPECT_EQ(facts.find_nic(""), nullptr);
}

TEST(Facts, ReportWhyAnInterfaceIsNotAnAzureNic) {
  const Facts facts = facts_of("healthy-two-nics");
  EXPECT_EQ(facts.azure_nic("eth0").value(), facts.find_nic("eth0"));
  EXPECT_EQ(facts.azure_nic("lo").error().message, "interface 'lo' is not an Azure NIC");
  const auto unknown = facts.azure_nic("eth11");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, Errc::not_found);
  EXPECT_THAT(unknown.error().message,
              HasSubstr("interface 'eth11' does not exist; did you mean 'eth"));
}

}  // namespace
}  // namespace manactl::host::nics_test
