// SPDX-License-Identifier: MIT

#include "host/gather.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/recording.h"
#include "support/fixtures.h"

namespace manactl::host::gather_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

const Nic& nic_of(const Facts& facts, const char* name) {
  const Nic* nic = facts.find_nic(name);
  if (nic == nullptr) throw std::runtime_error(std::string("no NIC ") + name);
  return *nic;
}

Presence presence_of(const Facts& facts, const std::string& module) {
  for (const auto& candidate : facts.modules) {
    if (candidate.name == module) return candidate.presence.value();
  }
  throw std::runtime_error("no module " + module);
}

class EveryFixture : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryFixture, HasNoUnknownFact) {
  const Facts facts = facts_of(GetParam());
  EXPECT_TRUE(facts.kernel) << facts.kernel.error().message;
  EXPECT_TRUE(facts.platform) << facts.platform.error().message;
  EXPECT_TRUE(facts.functions) << facts.functions.error().message;
  ASSERT_TRUE(facts.nics) << facts.nics.error().message;
  EXPECT_TRUE(facts.rdma.devices) << facts.rdma.devices.error().message;
  EXPECT_TRUE(facts.rdma.nodes) << facts.rdma.nodes.error().message;
  EXPECT_TRUE(facts.rdma.providers) << facts.rdma.providers.error().message;
  EXPECT_TRUE(facts.rdma.rdma_core) << facts.rdma.rdma_core.error().message;
  EXPECT_TRUE(facts.limits) << facts.limits.error().message;
  EXPECT_TRUE(facts.cpus) << facts.cpus.error().message;
  EXPECT_TRUE(facts.memory.pools) << facts.memory.pools.error().message;
  EXPECT_TRUE(facts.memory.mounts) << facts.memory.mounts.error().message;
  for (const auto& module : facts.modules) EXPECT_TRUE(module.presence) << module.name;
  for (const auto& nic : *facts.nics) {
    if (nic.synthetic) {
      EXPECT_TRUE(nic.counters) << nic.counters.error().message;
    }
    if (nic.vf) {
      EXPECT_TRUE(nic.management) << nic.management.error().message;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Trees,
                         EveryFixture,
                         ::testing::ValuesIn(test::fixture_names()),
                         [](const auto& tree) {
                           std::string name;
                           for (const char c : tree.param) {
                             if (c != '-') name += c;
                           }
                           return name;
                         });

TEST(Gather, ReadsAllFactsOfAHealthyVm) {
  const Facts facts = facts_of("healthy-two-nics");
  EXPECT_TRUE(facts.platform->azure);
  EXPECT_TRUE(facts.platform->hyperv);
  EXPECT_THAT(facts.kernel->release, HasSubstr("-cloud-amd64"));
  EXPECT_EQ(facts.kernel->distribution, "debian");
  EXPECT_TRUE(facts.has_mana());
  ASSERT_EQ(facts.functions->size(), 1U);
  const auto& function = facts.functions->front();
  EXPECT_EQ(function.address.str(), "7870:00:00.0");
  EXPECT_EQ(function.adapter, Adapter::mana_vf);
  EXPECT_EQ(function.driver, "mana");
  EXPECT_EQ(function.slot, "1");
  EXPECT_THAT(function.netdevs, ElementsAre("enP30832p0s0", "enP30832p0s0d1"));
  EXPECT_THAT(function.rdma_devices, ElementsAre("mana_0"));
  EXPECT_THAT(facts.interfaces,
              ElementsAre("lo", "eth0", "eth1", "enP30832p0s0", "enP30832p0s0d1"));
  EXPECT_EQ(presence_of(facts, "mana_ib"), Presence::loaded);
  EXPECT_EQ(presence_of(facts, "uio_hv_generic"), Presence::available);
}

// Adds functions of MANA to those of the fixture.
std::vector<test::Edit> with_functions(int count) {
  std::vector<test::Edit> edits;
  for (int i = 0; i < count; ++i) {
    const auto path = fmt::format("sys/bus/pci/devices/{:04x}:00:00.0/", i + 1);
    edits.push_back({path + "class", "", "0x020000\n"});
    edits.push_back({path + "vendor", "", "0x1414\n"});
    edits.push_back({path + "device", "", "0x00ba\n"});
  }
  return edits;
}

TEST(Gather, ExaminesNoMoreFunctionsThanAVmCanHave) {
  const Facts most = facts_of("healthy-two-nics", with_functions(255));
  ASSERT_TRUE(most.functions) << most.functions.error().message;
  EXPECT_EQ(most.functions->size(), 256U);
  const Facts more = facts_of("healthy-two-nics", with_functions(256));
  ASSERT_FALSE(more.functions);
  EXPECT_THAT(more.functions.error().message, HasSubstr("more than 256 PCI functions of NICs"));
}

TEST(Gather, PairsEachSyntheticNicWithItsPort) {
  const Facts facts = facts_of("healthy-two-nics");
  ASSERT_EQ(facts.nics->size(), 2U);
  const Nic& nic = nic_of(facts, "eth1");
  EXPECT_EQ(nic.paired_by, "master");
  EXPECT_EQ(nic.vf->name, "enP30832p0s0d1");
  EXPECT_EQ(nic.vf->dev_port, 1U);
  EXPECT_EQ(nic.vf->pci->str(), "7870:00:00.0");
  EXPECT_EQ(nic.vmbus->str(), "000d3a76-3bd1-000d-3a76-3bd1000d3a76");
  EXPECT_EQ(nic.vmbus_driver, "hv_netvsc");
  EXPECT_THAT(nic.synthetic->addresses, ElementsAre("10.0.1.4/24", "fe80::20d:3aff:fe76:3bd1/64"));
  EXPECT_GT(nic.counters->vf_rx, 0U);
  EXPECT_GE(nic.counters->rx, nic.counters->vf_rx);
  EXPECT_TRUE(nic.management->unmanaged);
  EXPECT_THAT(nic.management->evidence, HasSubstr("no network manager is running"));
}

TEST(Gather, ReadsCountersAndTheStateOfNetworkd) {
  const Facts facts = facts_of("ubuntu-two-nics");
  const Nic& nic = nic_of(facts, "eth1");
  EXPECT_EQ(nic.counters->vf_rx, 91000U);
  EXPECT_EQ(nic.counters->rx, 91250U);
  EXPECT_TRUE(nic.management->unmanaged);
  EXPECT_THAT(nic.management->evidence, HasSubstr("run/systemd/netif/links/5"));
}

TEST(Gather, ListsTheTrafficOfTheFirstNic) {
  const Facts facts = facts_of("healthy-two-nics");
  EXPECT_THAT(nic_of(facts, "eth0").carries,
              UnorderedElementsAre("SSH session from 10.1.0.9",
                                   "default route",
                                   HasSubstr("168.63.129.16"),
                                   HasSubstr("169.254.169.254")));
  EXPECT_THAT(nic_of(facts, "eth1").carries, IsEmpty());
}

TEST(Gather, ReadsRdmaIdsFromKernelTypesAndFileNames) {
  const Facts facts = facts_of("ubuntu-two-nics");
  ASSERT_EQ(facts.rdma.devices->size(), 1U);
  const auto& device = facts.rdma.devices->front();
  EXPECT_TRUE(device.mana);
  EXPECT_EQ(device.ports, 2U);
  EXPECT_EQ(device.uverbs, "uverbs0");
  EXPECT_EQ(device.driver_id, 20U);
  EXPECT_EQ(device.pci->str(), "7870:00:00.0");
  EXPECT_EQ(facts.rdma.btf_mana.value(), 20);
  EXPECT_EQ(facts.rdma.rdma_core.value()->major, 50U);
  EXPECT_TRUE(facts.rdma.mana_provider.value());
  ASSERT_EQ(facts.rdma.nodes->size(), 1U);
  EXPECT_EQ(facts.rdma.nodes->front().mode, 0666U);
  EXPECT_TRUE(facts.rdma.nodes->front().usable);
  EXPECT_EQ(facts.rdma.providers->front().library, "libmana.so.1");
}

// These fixtures were captured from a real kernel and libibverbs.
TEST(Gather, ReadsTheDriverIdsOfKernelAndLibrary) {
  for (const auto& [fixture, id, library] :
       {std::tuple("healthy-two-nics", 20U, "libmana-rdmav34.so"),
        std::tuple("driver-id-19", 19U, "liberdma-rdmav34.so")}) {
    const Facts facts = facts_of(fixture);
    ASSERT_EQ(facts.rdma.devices->size(), 1U);
    EXPECT_EQ(facts.rdma.devices->front().driver_id, id);
    EXPECT_EQ(facts.rdma.providers->front().library, library);
    EXPECT_FALSE(facts.rdma.btf_mana.value()) << "Linux 6.1 does not define RDMA_DRIVER_MANA";
    EXPECT_EQ(facts.rdma.rdma_core.value()->major, 44U);
  }
}

TEST(Gather, ReadsTheDriverIdOfTheBackport) {
  const Facts facts = facts_of("ubuntu-driver-id-19");
  EXPECT_EQ(facts.rdma.devices->front().driver_id, 19U);
  EXPECT_EQ(facts.rdma.btf_mana.value(), 19);
  EXPECT_EQ(facts.rdma.providers->front().library, "liberdma-rdmav34.so");
  EXPECT_EQ(facts.rdma.rdma_core.value()->major, 46U);
  EXPECT_EQ(facts.kernel->release, "5.15.0-1045-azure");
}

TEST(Gather, FindsNoFunctionWithoutAcceleratedNetworking) {
  const Facts facts = facts_of("vf-missing");
  EXPECT_THAT(*facts.functions, IsEmpty());
  EXPECT_FALSE(facts.has_mana());
  ASSERT_EQ(facts.nics->size(), 2U);
  EXPECT_FALSE(nic_of(facts, "eth0").vf);
  EXPECT_TRUE(nic_of(facts, "eth0").counters);
}

TEST(Gather, FindsAFunctionWithoutDriver) {
  const Facts facts = facts_of("vf-orphaned");
  ASSERT_EQ(facts.functions->size(), 1U);
  EXPECT_EQ(facts.functions->front().driver, "");
  EXPECT_EQ(presence_of(facts, "mana"), Presence::missing);
  EXPECT_FALSE(nic_of(facts, "eth1").vf);
}

TEST(Gather, PairsByAddressWhenTheVfHasNoMaster) {
  const Facts facts = facts_of("vf-unpaired");
  const Nic& nic = nic_of(facts, "eth1");
  EXPECT_EQ(nic.paired_by, "MAC address");
  EXPECT_FALSE(nic.vf->master);
  EXPECT_FALSE(nic.management->unmanaged);
  EXPECT_EQ(nic_of(facts, "eth0").paired_by, "master");
}

TEST(Gather, FindsAPreparedNicAndItsVf) {
  const Facts facts = facts_of("prepared-uio");
  ASSERT_EQ(facts.nics->size(), 2U);
  const Nic& nic = nic_of(facts, "enP30832p0s0d1");
  EXPECT_TRUE(nic.is_prepared());
  EXPECT_FALSE(nic.synthetic);
  EXPECT_EQ(nic.uio, "uio0");
  EXPECT_EQ(nic.vmbus->str(), "000d3a76-3bd1-000d-3a76-3bd1000d3a76");
  EXPECT_EQ(nic.paired_by, "MAC address in the VMBus id");
  EXPECT_FALSE(nic.vf->up);
}

TEST(Gather, FindsAChannelWithoutDriver) {
  const Facts facts = facts_of("unbound-vmbus");
  const Nic& nic = nic_of(facts, "enP30832p0s0d1");
  EXPECT_EQ(nic.vmbus_driver, "");
  EXPECT_FALSE(nic.is_prepared());
  EXPECT_FALSE(nic.is_direct());
}

TEST(Gather, FindsManaWithoutSyntheticNics) {
  const Facts facts = facts_of("mana-direct");
  ASSERT_EQ(facts.functions->size(), 2U);
  ASSERT_EQ(facts.nics->size(), 2U);
  for (const auto& nic : *facts.nics) EXPECT_TRUE(nic.is_direct()) << nic.name();
  EXPECT_THAT(nic_of(facts, "enP30832p0s0").carries,
              UnorderedElementsAre("SSH session from 10.1.0.9", "default route"));
}

TEST(Gather, FindsMellanoxFunctions) {
  const Facts facts = facts_of("mlx5-vm");
  EXPECT_FALSE(facts.has_mana());
  ASSERT_EQ(facts.functions->size(), 2U);
  EXPECT_EQ(facts.functions->back().adapter, Adapter::mlx);
  EXPECT_EQ(nic_of(facts, "eth1").vf->driver, "mlx5_core");
  EXPECT_FALSE(facts.rdma.devices->front().mana);
}

TEST(Gather, FindsTwoRdmaDevicesOnOneFunction) {
  const Facts facts = facts_of("mana-and-manae");
  EXPECT_THAT(facts.functions->front().rdma_devices, ElementsAre("mana_0", "manae_0"));
  ASSERT_EQ(facts.rdma.devices->size(), 2U);
  EXPECT_EQ(facts.rdma.devices->back().name, "manae_0");
  EXPECT_TRUE(facts.rdma.devices->back().mana);
  EXPECT_EQ(facts.rdma.devices->back().pci, facts.functions->front().address);
}

TEST(Gather, SkipsBtfAndProvidersWithoutMana) {
  const Facts facts = facts_of("not-azure");
  EXPECT_FALSE(facts.platform->azure);
  EXPECT_FALSE(facts.platform->hyperv);
  EXPECT_THAT(*facts.nics, IsEmpty());
  ASSERT_FALSE(facts.rdma.btf_mana);
  EXPECT_THAT(facts.rdma.btf_mana.error().message, HasSubstr("not read"));
  EXPECT_THAT(*facts.rdma.providers, IsEmpty());
}

class ObservedRdma final : public os::Rdma {
 public:
  Result<std::vector<os::RdmaDevice>> devices() const override {
    was_called = true;
    return std::vector<os::RdmaDevice>{};
  }

  mutable bool was_called = false;
};

class DevicesWithNote final : public os::Devices {
 public:
  Result<std::vector<os::PciDevice>> pci_network() const override { return {}; }

  Result<std::vector<os::VmbusDevice>> vmbus_network() const override { return {}; }

  std::string fallback_reason() const override { return "read from sysfs"; }
};

TEST(Gather, KeepsTheNoteAboutLibudev) {
  const auto captured = test::system_of("healthy-two-nics");
  const auto system = captured->system();
  EXPECT_EQ(gather(system).devices_note, "");
  DevicesWithNote devices;
  const os::System live{system.files,
                        system.links,
                        system.ethtool,
                        system.rdma,
                        system.verbs,
                        devices,
                        system.modules,
                        system.process,
                        system.sockets,
                        system.kernel_log};
  EXPECT_EQ(gather(live).devices_note, "read from sysfs");
  EXPECT_EQ(gather(start_recording(live)->system()).devices_note, "read from sysfs");
}

// A socket of RDMA netlink would make the kernel load ib_core.
TEST(Gather, DoesNotOpenRdmaNetlinkWithoutRdmaClass) {
  for (const auto& [fixture, expected] : std::vector<std::pair<const char*, bool>>{
           {"not-azure", false}, {"mana-ib-missing", false}, {"healthy-two-nics", true}}) {
    const auto captured = test::system_of(fixture);
    const auto system = captured->system();
    ObservedRdma rdma;
    gather({system.files,
            system.links,
            system.ethtool,
            rdma,
            system.verbs,
            system.devices,
            system.modules,
            system.process,
            system.sockets,
            system.kernel_log});
    EXPECT_EQ(rdma.was_called, expected) << fixture;
  }
}

TEST(Gather, ReportsMissingVfCountersAsUnknown) {
  const Facts facts =
      facts_of("healthy-two-nics",
               {{"manactl/ethtool.json", "\"vf_rx_packets\": 8", "\"other_packets\": 8"}});
  ASSERT_FALSE(nic_of(facts, "eth0").counters);
  EXPECT_THAT(nic_of(facts, "eth0").counters.error().message, HasSubstr("VF packets"));
  EXPECT_TRUE(nic_of(facts, "eth1").counters);
}

TEST(Gather, FindsTheSessionOnTheNicForDpdk) {
  const Facts facts = facts_of("ssh-on-dpdk-nic");
  EXPECT_THAT(nic_of(facts, "eth1").carries, ElementsAre("SSH session from 10.1.0.9"));
}

TEST(Gather, ReadsTheLimitsOfAnOrdinaryUser) {
  const Facts facts = facts_of("unprivileged");
  EXPECT_EQ(facts.limits->uid, 1000U);
  EXPECT_FALSE(facts.limits->net_raw);
  EXPECT_FALSE(facts.rdma.nodes->front().usable);
}

}  // namespace
}  // namespace manactl::host::gather_test
