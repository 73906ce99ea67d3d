// SPDX-License-Identifier: MIT
#include "datapath/dpdk/device_watcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "datapath/dpdk/kernel_interface.h"
#include "datapath/fake_dpdk.h"

namespace manactl::datapath::dpdk::device_watcher_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// The ports 0 to 2 of net_af_packet0 to net_af_packet2, each above an interface with index 10 + id.
struct Watcher : testing::Test {
  explicit Watcher(Mode mode = Mode::fwd) : lanes(4) {
    plan.mode = mode;
    for (std::uint16_t id = 0; id < 3; ++id) {
      const auto name = "net_af_packet" + std::to_string(id);
      fake.ports[id] = FakePort(name, "net_af_packet");
      fake.ports[id].info.if_index = 10U + id;
      fake.interfaces[10U + id] = {"eth" + std::to_string(id), 1500, true};
      plan.vdevs.push_back(name + ",iface=eth" + std::to_string(id));
      ports.push_back(Port::open(id, name, false).value());
      EXPECT_TRUE(ports.back().start(plan, {nullptr}).has_value());
      lanes[id].port = id;
      lanes[id].out_port = id == 2 ? 2 : 1 - id;
    }
    lanes[3].port = lanes[3].out_port = 9;
    watcher.emplace(mode, lanes, ports);
  }

  // Returns the events of take(): "-net_af_packet0" is a removal, "+net_af_packet0" a return.
  std::vector<std::string> events() {
    std::vector<std::string> events;
    for (auto& lane : lanes) {
      if (workers_park && !lane.in_use()) lane.parked = true;
    }
    for (const auto& event : watcher->take()) {
      events.push_back((event.kind == Event::Kind::removed ? "-" : "+") + event.device);
    }
    return events;
  }

  // The lanes that are removed.
  std::vector<std::size_t> removed() const {
    std::vector<std::size_t> removed;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      if (!lanes[i].in_use()) removed.push_back(i);
    }
    return removed;
  }

  // The workers park removed lanes from now on, before the next events().
  void park_all() {
    workers_park = true;
    for (auto& lane : lanes) lane.parked = true;
  }

  // Replaces the interface of port `id` by one with the index 20 + id. DPDK will give the port 30 +
  // id.
  void replace(std::uint16_t id) {
    fake.interfaces.erase(10U + id);
    fake.interfaces[20U + id] = {"eth" + std::to_string(id), 1500, true};
    fake.next = fake.ports[id];
    fake.next.info.if_index = 20U + id;
    fake.next_id = static_cast<std::uint16_t>(30 + id);
  }

  FakeDpdk fake;
  BenchPlan plan;
  std::vector<Lane> lanes;
  std::vector<Port> ports;
  std::optional<DeviceWatcher> watcher;
  bool workers_park = false;
};

struct SendingWatcher : Watcher {
  SendingWatcher() : Watcher(Mode::tx) {}
};

TEST_F(Watcher, ReportsARemovalOnceAndTheReturn) {
  EXPECT_THAT(events(), IsEmpty());
  fake.announce(1, RTE_ETH_EVENT_INTR_RMV);
  EXPECT_THAT(removed(), ElementsAre(0, 1));
  fake.announce(1, RTE_ETH_EVENT_DESTROY);
  fake.announce(2, RTE_ETH_EVENT_DESTROY);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1", "-net_af_packet2"));
  EXPECT_THAT(removed(), ElementsAre(0, 1, 2));
  EXPECT_THAT(events(), IsEmpty());
  fake.announce(2, RTE_ETH_EVENT_NEW);
  EXPECT_THAT(events(), ElementsAre("+net_af_packet2"));
  fake.announce(2, RTE_ETH_EVENT_NEW);
  fake.announce(0, RTE_ETH_EVENT_NEW);  // was not absent
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(Watcher, KnowsNoNameOfAPortWithoutOne) {
  fake.results["name"] = -ENODEV;
  fake.announce(1, RTE_ETH_EVENT_INTR_RMV);
  EXPECT_THAT(events(), ElementsAre("-"));
}

TEST_F(SendingWatcher, StopsOnlyTheLanesOfThePort) {
  fake.announce(1, RTE_ETH_EVENT_INTR_RMV);
  EXPECT_THAT(removed(), ElementsAre(1));
}

TEST_F(Watcher, UnregistersItsCallbacks) {
  EXPECT_EQ(fake.callbacks.size(), 3U);
  watcher.reset();
  EXPECT_THAT(fake.callbacks, IsEmpty());
}

TEST_F(SendingWatcher, ReopensADeviceWhoseInterfaceWasReplaced) {
  fake.take_log();
  replace(1);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1"));
  EXPECT_THAT(removed(), ElementsAre(1));
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(fake.take_log(), IsEmpty());  // the worker may still use the port
  lanes[1].parked = true;
  EXPECT_THAT(events(), ElementsAre("+net_af_packet1"));
  EXPECT_EQ(lanes[1].port, 31);
  EXPECT_EQ(lanes[0].port, 0);
  EXPECT_EQ(lanes[0].out_port, 1);  // not used
  EXPECT_FALSE(lanes[1].parked);
  EXPECT_THAT(removed(), IsEmpty());
  EXPECT_EQ(ports[1].interface_index(), 21U);
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(SendingWatcher, WaitsForTheWorkerAfterEachRemoval) {
  park_all();
  replace(1);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1"));
  EXPECT_THAT(events(), ElementsAre("+net_af_packet1"));
  lanes[1].parked = true;  // late, by a worker that then used the lane again
  workers_park = false;
  fake.announce(31, RTE_ETH_EVENT_INTR_RMV);
  EXPECT_FALSE(lanes[1].parked);
}

TEST_F(SendingWatcher, WaitsForAnInterfaceOfTheSameName) {
  fake.interfaces.erase(11);
  park_all();
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1"));
  fake.take_log();
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(fake.take_log(), IsEmpty());
}

TEST_F(SendingWatcher, TriesAgainIfTheDeviceDoesNotStart) {
  replace(1);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1"));
  park_all();
  fake.results["start"] = -ENETDOWN;
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(removed(), ElementsAre(1));
  EXPECT_EQ(lanes[1].port, 31);
  EXPECT_TRUE(lanes[1].parked);
  fake.results.clear();
  fake.next_id = 33;
  EXPECT_THAT(events(), ElementsAre("+net_af_packet1"));
  EXPECT_EQ(lanes[1].port, 33);
  EXPECT_THAT(removed(), IsEmpty());
}

TEST_F(Watcher, ContinuesForwardingWhenBothPortsOfAPairAreBack) {
  park_all();
  replace(0);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet0"));
  fake.interfaces.erase(11);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet1"));
  EXPECT_THAT(events(), ElementsAre("+net_af_packet0"));
  EXPECT_EQ(lanes[0].port, 30);
  EXPECT_EQ(lanes[0].out_port, 1);
  EXPECT_EQ(lanes[1].port, 1);
  EXPECT_EQ(lanes[1].out_port, 30);
  EXPECT_TRUE(lanes[0].parked);  // because the other port was removed meanwhile
  EXPECT_THAT(removed(), ElementsAre(0, 1));
}

TEST_F(Watcher, WaitsForTheOtherPortOfAPair) {
  park_all();
  fake.interfaces.erase(10);
  fake.interfaces.erase(11);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet0", "-net_af_packet1"));
  replace(1);
  EXPECT_THAT(events(), ElementsAre("+net_af_packet1"));
  EXPECT_THAT(removed(), ElementsAre(0, 1));
  EXPECT_TRUE(lanes[0].parked);
  EXPECT_EQ(lanes[0].out_port, 31);
  EXPECT_EQ(lanes[1].port, 31);
  replace(0);
  EXPECT_THAT(events(), ElementsAre("+net_af_packet0"));
  EXPECT_THAT(removed(), IsEmpty());
  EXPECT_FALSE(lanes[0].parked);
  EXPECT_EQ(lanes[0].port, 30);
  EXPECT_EQ(lanes[1].out_port, 30);
}

TEST_F(Watcher, ReopensAPortThatForwardsToItself) {
  park_all();
  replace(2);
  EXPECT_THAT(events(), ElementsAre("-net_af_packet2"));
  EXPECT_THAT(events(), ElementsAre("+net_af_packet2"));
  EXPECT_EQ(lanes[2].port, 32);
  EXPECT_EQ(lanes[2].out_port, 32);
  EXPECT_THAT(removed(), IsEmpty());
}

TEST_F(SendingWatcher, DoesNotWatchInterfacesOfOtherDevices) {
  watcher.reset();
  ports.clear();
  fake.ports[5] = FakePort("net_null0", "net_null");
  ports.push_back(Port::open(5, "net_null0", false).value());
  watcher.emplace(Mode::tx, lanes, ports);
  EXPECT_THAT(events(), IsEmpty());
}

// Two ports of one MANA function, which forward to each other.
struct ManaWatcher : Watcher {
  ManaWatcher() {
    watcher.reset();
    ports.clear();
    plan.vdevs = {"7870:00:00.0,mac=02:00:00:00:00:01,mac=02:00:00:00:00:02"};
    for (std::uint16_t id = 0; id < 2; ++id) {
      fake.ports[id] = port_of_mana(id);
      ports.push_back(Port::open(id, "7870:00:00.0", true).value());
      EXPECT_TRUE(ports.back().start(plan, {nullptr}).has_value());
    }
    watcher.emplace(Mode::fwd, lanes, ports);
    fake.take_log();
  }

  FakePort port_of_mana(std::uint16_t port) {
    FakePort made("7870:00:00.0_port" + std::to_string(port), "net_mana");
    made.info.dev_flags = &flags;
    return made;
  }

  // DPDK announces the removal of both ports. It will give them the IDs 1 and 0.
  void reset_function() {
    for (std::uint16_t id = 0; id < 2; ++id) fake.announce(id, RTE_ETH_EVENT_INTR_RMV);
    fake.next = port_of_mana(1);
    fake.next_id = 0;
    fake.also_next = {{1, port_of_mana(0)}};
  }

  const std::uint32_t flags = RTE_ETH_DEV_INTR_RMV;
};

TEST_F(ManaWatcher, ReopensAFunctionWhoseRdmaDeviceHasReturned) {
  reset_function();
  EXPECT_THAT(events(), ElementsAre("-7870:00:00.0_port0", "-7870:00:00.0_port1"));
  EXPECT_THAT(removed(), ElementsAre(0, 1));
  park_all();
  EXPECT_THAT(events(), IsEmpty());
  EXPECT_THAT(fake.take_log(), IsEmpty());  // the RDMA device is still missing
  fake.rdma_devices = {"7870:00:00.0"};
  EXPECT_THAT(events(), ElementsAre("+7870:00:00.0_port0", "+7870:00:00.0_port1"));
  EXPECT_THAT(fake.take_log(),
              testing::IsSupersetOf({"close 0",
                                     "close 1",
                                     "remove pci 7870:00:00.0",
                                     "add pci 7870:00:00.0 "
                                     "'mac=02:00:00:00:00:01,mac=02:00:00:00:00:02'",
                                     "configure 1: 1 1 queues, mtu 0, no rss 0, removal",
                                     "start 0",
                                     "start 1"}));
  EXPECT_EQ(ports[0].id(), 1);
  EXPECT_EQ(lanes[0].port, 1);
  EXPECT_EQ(lanes[0].out_port, 0);
  EXPECT_EQ(lanes[1].port, 0);
  EXPECT_EQ(lanes[1].out_port, 1);
  EXPECT_THAT(removed(), IsEmpty());
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(ManaWatcher, WaitsForTheWorkersOfAllPorts) {
  fake.rdma_devices = {"7870:00:00.0"};
  reset_function();
  lanes[0].parked = true;
  EXPECT_THAT(events(), ElementsAre("-7870:00:00.0_port0", "-7870:00:00.0_port1"));
  EXPECT_THAT(fake.take_log(), IsEmpty());
  lanes[1].parked = true;
  EXPECT_THAT(events(), ElementsAre("+7870:00:00.0_port0", "+7870:00:00.0_port1"));
}

TEST_F(ManaWatcher, TriesAgainIfAPortDoesNotStart) {
  fake.rdma_devices = {"7870:00:00.0"};
  reset_function();
  park_all();
  fake.results["start"] = -EBUSY;
  EXPECT_THAT(events(), ElementsAre("-7870:00:00.0_port0", "-7870:00:00.0_port1"));
  EXPECT_THAT(removed(), ElementsAre(0, 1));
  fake.results.clear();
  fake.next = port_of_mana(1);
  fake.also_next = {{1, port_of_mana(0)}};
  EXPECT_THAT(events(), ElementsAre("+7870:00:00.0_port0", "+7870:00:00.0_port1"));
  EXPECT_THAT(removed(), IsEmpty());
}

using KernelInterface = Watcher;

TEST_F(KernelInterface, IsReadByItsIndex) {
  fake.interfaces = {{1, {"low", 1, true}}, {2, {"none", 0, false}}, {0, {"zero", 1500, true}}};
  EXPECT_EQ(mtu_of_interface(1), 1U);
  EXPECT_EQ(mtu_of_interface(2), 0U);
  EXPECT_EQ(mtu_of_interface(3), 0U);
  EXPECT_EQ(mtu_of_interface(0), 0U);
  EXPECT_EQ(name_of_interface(1), "low");
  EXPECT_EQ(name_of_interface(3), "");
  EXPECT_EQ(name_of_interface(0), "");
  EXPECT_TRUE(has_interface(1));
  EXPECT_FALSE(has_interface(3));
  fake.results["indextoname"] = EMFILE;
  EXPECT_TRUE(has_interface(3)) << "not known to be absent";
}

TEST_F(KernelInterface, IsUpIfItsFlagSaysSo) {
  fake.interfaces = {
      {1, {"abcdefghijklmno", 1, true}}, {2, {"down", 0, false}}, {3, {"", 0, true}}};
  EXPECT_TRUE(is_up("abcdefghijklmno"));
  EXPECT_FALSE(is_up("abcdefghijklmnop"));
  EXPECT_FALSE(is_up("down"));
  EXPECT_FALSE(is_up("missing"));
  EXPECT_FALSE(is_up(""));
}

}  // namespace
}  // namespace manactl::datapath::dpdk::device_watcher_test
