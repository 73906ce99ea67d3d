// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>
#include <net/if.h>

#include "host/captured.h"
#include "host/gather.h"
#include "host/snapshot.h"
#include "os/memory_files.h"

namespace manactl::host::pairing_test {
namespace {

constexpr const char* kMacA = "00:0d:3a:00:00:0a";
constexpr const char* kMacB = "00:0d:3a:00:00:0b";
constexpr const char* kNoMac = "00:00:00:00:00:00";
constexpr const char* kIdA = "000d3a00-000a-000d-3a00-000a000d3a00";  // repeats kMacA
constexpr const char* kIdB = "000d3a00-000b-000d-3a00-000b000d3a00";
constexpr const char* kId1 = "11111111-1111-1111-1111-111111111111";
constexpr const char* kId2 = "22222222-2222-2222-2222-222222222222";

// A VM with the interfaces and channels that a test adds. Indexes of interfaces count from 1.
class Machine {
 public:
  os::Link& add(const std::string& name, const char* mac, const std::string& driver) {
    const auto index = static_cast<int>(links_.size()) + 1;
    const std::string device = fmt::format("{}:00:00.0", 7000 + index);
    files_->add_link("sys/class/net/" + name + "/device", "../../../devices/" + device);
    files_->add_link("sys/devices/" + device + "/driver", "../../bus/drivers/" + driver);
    files_->add_file("sys/class/net/" + name + "/dev_port", std::to_string(index) + "\n");
    os::Link link;
    link.index = index;
    link.name = name;
    link.mac = *MacAddress::parse(mac);
    return links_.emplace_back(link);
  }

  void add_vf(const std::string& name, const char* mac, int master = 0) {
    auto& link = add(name, mac, "mana");
    if (master != 0) link.master = master;
  }

  // A channel without a synthetic interface.
  void add_channel(const std::string& id, const std::string& driver = "uio_hv_generic") {
    const std::string path = "sys/bus/vmbus/devices/" + id;
    files_->add_file(path + "/class_id", "{f8615163-df3e-46c5-913f-f2d2f965ed0e}\n");
    files_->add_link(path + "/driver", "../../drivers/" + driver);
    files_->add_directory(path + "/uio/uio" + id.substr(0, 1));
  }

  std::vector<Nic> nics() {
    Snapshot snapshot;
    snapshot.links = links_;
    for (const auto& [path, text] : write_snapshot(snapshot)) files_->add_file(path, text);
    const auto captured = open_captured_files(std::move(files_)).value();
    return gather_nics(captured->system(), links_).value();
  }

  // A line per NIC: its name, its VF, and why the VF belongs to it.
  std::string pairs() {
    std::string text;
    for (const auto& nic : nics()) {
      text += fmt::format("{} {} {}\n", nic.name(), nic.vf ? nic.vf->name : "-", nic.paired_by);
    }
    return text;
  }

 private:
  std::unique_ptr<os::MemoryFiles> files_ = std::make_unique<os::MemoryFiles>();
  std::vector<os::Link> links_;
};

TEST(Pairs, FollowTheMaster) {
  Machine machine;
  machine.add("eth0", kMacA, "hv_netvsc");
  machine.add("eth1", kMacB, "hv_netvsc");
  machine.add_vf("vf0", kMacA, 2);
  machine.add_vf("vf1", kMacB, 1);
  EXPECT_EQ(machine.pairs(), "eth0 vf1 master\neth1 vf0 master\n");
}

TEST(Pairs, FollowAnAddressThatOneNicAndOneVfHave) {
  Machine machine;
  machine.add("eth0", kMacA, "hv_netvsc");
  machine.add("eth1", kMacA, "hv_netvsc");
  machine.add_vf("vf0", kMacA, 1);
  machine.add_vf("vf1", kMacA);
  EXPECT_EQ(machine.pairs(), "eth0 vf0 master\neth1 vf1 MAC address\n");
}

TEST(Pairs, AreNotGuessedIfTwoNicsHaveTheAddress) {
  Machine machine;
  machine.add("eth0", kMacA, "hv_netvsc");
  machine.add("eth1", kMacA, "hv_netvsc");
  machine.add_vf("vf0", kMacA);
  EXPECT_EQ(machine.pairs(), "eth0 - \neth1 - \nvf0 vf0 \n");
}

TEST(Pairs, AreNotGuessedIfTwoVfsHaveTheAddress) {
  Machine machine;
  machine.add("eth0", kMacA, "hv_netvsc");
  machine.add_vf("vf0", kMacA);
  machine.add_vf("vf1", kMacA);
  EXPECT_EQ(machine.pairs(), "eth0 - \nvf0 vf0 \nvf1 vf1 \n");
}

TEST(Pairs, IgnoreAddressesOfZeros) {
  Machine machine;
  machine.add("eth0", kNoMac, "hv_netvsc");
  machine.add_vf("vf0", kNoMac);
  EXPECT_EQ(machine.pairs(), "eth0 - \nvf0 vf0 \n");
}

TEST(Pairs, FollowTheAddressInTheIdOfTheChannel) {
  Machine machine;
  machine.add_channel(kIdA);
  machine.add_channel(kIdB, "none");
  machine.add_vf("vf0", kMacB);
  machine.add_vf("vf1", kMacA);
  EXPECT_EQ(machine.pairs(),
            "vf0 vf0 MAC address in the VMBus id\nvf1 vf1 MAC address in the VMBus id\n");
}

TEST(Pairs, IgnoreZerosInTheIdOfTheChannel) {
  Machine machine;
  machine.add_channel("00000000-0000-0000-0000-000000000000");
  machine.add_vf("vf0", kNoMac);
  EXPECT_EQ(machine.pairs(), "vf0 vf0 the only VF left\n");
}

TEST(Pairs, AreNotGuessedIfTwoChannelsAreLeft) {
  Machine machine;
  machine.add_channel(kId1);
  machine.add_channel(kId2);
  machine.add_vf("vf0", kMacA);
  EXPECT_EQ(machine.pairs(), fmt::format("{} - \n{} - \nvf0 vf0 \n", kId1, kId2));
}

TEST(Pairs, AreNotGuessedIfTwoVfsAreLeft) {
  Machine machine;
  machine.add_channel(kId1);
  machine.add_vf("vf0", kMacA);
  machine.add_vf("vf1", kMacB);
  EXPECT_EQ(machine.pairs(), fmt::format("{} - \nvf0 vf0 \nvf1 vf1 \n", kId1));
}

TEST(Pairs, AssignTheOnlyVfLeft) {
  Machine machine;
  machine.add("eth0", kMacB, "hv_netvsc");
  machine.add_channel(kIdA);
  machine.add_channel(kId1);
  machine.add_vf("vf0", kMacA);
  machine.add_vf("vf1", "00:0d:3a:00:00:0c");
  EXPECT_EQ(machine.pairs(),
            "eth0 - \nvf0 vf0 MAC address in the VMBus id\nvf1 vf1 the only VF left\n");
}

TEST(Pairs, IncludeFunctionsWithoutSyntheticNicOnlyOfMana) {
  Machine machine;
  machine.add_channel(kId1);
  machine.add("mlx4", kMacA, "mlx4_core");
  machine.add("mlx5", kMacB, "mlx5_core");
  machine.add("other", kMacB, "virtio_net");
  EXPECT_EQ(machine.pairs(), fmt::format("{} - \n", kId1));
}

TEST(Pairs, ListSyntheticNicsFirstThenByName) {
  Machine machine;
  machine.add_vf("a1", kNoMac);
  machine.add("eth1", kMacB, "hv_netvsc");
  machine.add("eth0", kMacA, "hv_netvsc");
  machine.add_vf("a0", kNoMac);
  EXPECT_EQ(machine.pairs(), "eth0 - \neth1 - \na0 a0 \na1 a1 \n");
}

TEST(Pairs, IgnoreLoopbackAndStackedInterfaces) {
  Machine machine;
  machine.add("lo9", kMacA, "mana").flags = IFF_LOOPBACK;
  machine.add("vlan9", kMacA, "mana").kind = "vlan";
  EXPECT_EQ(machine.pairs(), "");
}

TEST(Nics, HaveTheChannelOfAPreparedNic) {
  Machine machine;
  machine.add_channel(kId1);
  machine.add_channel(kId2, "none");
  const auto nics = machine.nics();
  ASSERT_EQ(nics.size(), 2U);
  EXPECT_EQ(nics[0].vmbus->str(), kId1);
  EXPECT_EQ(nics[0].vmbus_driver, "uio_hv_generic");
  EXPECT_EQ(nics[0].uio, "uio1");
  EXPECT_TRUE(nics[0].is_prepared());
  EXPECT_EQ(nics[1].vmbus_driver, "none");
  EXPECT_FALSE(nics[1].is_prepared());
}

TEST(Nics, HaveEveryAttributeOfTheirInterface) {
  Machine machine;
  auto& link = machine.add("vf0", kMacA, "mana");
  link.alternative_names = {"data"};
  link.flags = IFF_UP;
  link.mtu = 9000;
  link.master = 7;
  link.rx_packets = 12;
  link.tx_packets = 13;
  const Netdev vf = machine.nics().at(0).vf.value();
  EXPECT_EQ(vf.index, 1);
  EXPECT_EQ(vf.name, "vf0");
  EXPECT_EQ(vf.alternative_names, std::vector<std::string>{"data"});
  EXPECT_EQ(vf.mac.str(), kMacA);
  EXPECT_EQ(vf.driver, "mana");
  EXPECT_TRUE(vf.up);
  EXPECT_FALSE(vf.running);
  EXPECT_EQ(vf.mtu, 9000U);
  EXPECT_EQ(vf.master, 7);
  EXPECT_EQ(vf.rx_packets, 12U);
  EXPECT_EQ(vf.tx_packets, 13U);
  EXPECT_EQ(vf.dev_port, 1U);
  EXPECT_EQ(vf.pci->str(), "7001:00:00.0");
}

}  // namespace
}  // namespace manactl::host::pairing_test
