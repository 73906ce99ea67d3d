// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "datapath/dpdk/path_counters.h"
#include "datapath/dpdk/port.h"
#include "datapath/fake_dpdk.h"

namespace manactl::datapath::dpdk::find_ports_test {
namespace {

FakePort port_of(const std::string& name, const std::string& device, std::uint8_t mac) {
  FakePort port(name, "net_fake");
  port.device = device;
  port.mac = mac;
  return port;
}

Nic nic_of(const std::string& interface, const char* pci, const char* mac) {
  return {interface, PciAddress::parse(pci).value(), MacAddress::parse(mac).value(), {}};
}

constexpr const char *kSlot = "7870:00:00.0", *kMac1 = "02:00:00:00:00:01",
                     *kMac2 = "02:00:00:00:00:02";

struct Case {
  const char* description;
  std::map<std::uint16_t, FakePort> ports;
  std::vector<std::string> vdevs;
  std::vector<Nic> nics;
  std::string expected;  // "ID DEVICE" per port, "physical" if it is; or the error
};

std::string text_of(const Result<std::vector<Port>>& ports) {
  if (!ports) return ports.error().message;
  std::string text;
  for (const auto& port : *ports) {
    text +=
        fmt::format("{} {}{}; ", port.id(), port.device(), port.is_physical() ? " physical" : "");
  }
  return text;
}

TEST(FindPorts, AssignsPortsToTheDevicesOfThePlan) {
  auto owned = port_of("net_a", "", 9);
  owned.owner = 5;
  const std::string slot = kSlot;
  const Case cases[] = {
      {"by name, in the plan's order",
       {{0, port_of("net_a", "", 1)}, {1, owned}, {2, port_of("net_b", "", 2)}},
       {"net_b,x=1", "net_a"},
       {},
       "2 net_b; 0 net_a; "},
      {"by the name of the device",
       {{0, port_of("net_a", "", 1)}, {4, port_of("port", "net_b", 2)}},
       {"net_a", "net_b,x=1"},
       {},
       "0 net_a; 4 net_b; "},
      {"a single device with another name",
       {{6, port_of("other", "", 1)}},
       {"net_b"},
       {},
       "6 net_b; "},
      {"two devices with other names",
       {{0, port_of("other", "", 1)}, {1, port_of("another", "", 2)}},
       {"net_a", "net_b"},
       {},
       "cannot open 'net_a': the driver rejects its options"},
      {"no port", {}, {"net_a"}, {}, "cannot open 'net_a': the driver rejects its options"},
      {"only an owned port",
       {{1, owned}},
       {"net_a"},
       {},
       "cannot open 'net_a': the driver rejects its options"},
      {"too many ports of a single device",
       {{0, port_of("x", "", 1)}, {1, port_of("y", "", 2)}},
       {"net_a"},
       {},
       "'net_a' created 2 ports, but the plan requires 1"},
      {"NICs by address",
       {{0, port_of(slot + "_port1", slot, 2)}, {1, port_of(slot, slot, 1)}},
       {},
       {nic_of("eth1", kSlot, kMac1), nic_of("eth2", kSlot, kMac2)},
       "1 7870:00:00.0 physical; 0 7870:00:00.0 physical; "},
      {"a slot with two addresses",
       {{0, port_of("a", slot, 2)}, {1, port_of("b", slot, 1)}},
       {slot + ",mac=" + kMac1 + ",mac=" + kMac2},
       {},
       "0 7870:00:00.0 physical; 1 7870:00:00.0 physical; "},
      {"a slot with a missing address",
       {{0, port_of("a", slot, 2)}, {1, port_of("b", slot, 3)}},
       {slot + ",mac=" + kMac1 + ",mac=" + kMac2},
       {},
       "'7870:00:00.0,mac=02:00:00:00:00:01,mac=02:00:00:00:00:02' created 1 port, but the plan "
       "requires 2"}};
  for (const auto& one : cases) {
    FakeDpdk fake;
    fake.ports = one.ports;
    BenchPlan plan;
    plan.vdevs = one.vdevs;
    plan.nics = one.nics;
    EXPECT_EQ(text_of(find_ports(plan)), one.expected) << one.description;
  }
}

TEST(FindPorts, ReportsADeviceThatCannotBeRead) {
  FakeDpdk fake;
  fake.ports[0] = port_of("net_a", "", 1);
  fake.results["info"] = -EIO;
  BenchPlan plan;
  plan.vdevs = {"net_a"};
  EXPECT_EQ(text_of(find_ports(plan)),
            "net_a: cannot read the capabilities of the device: Input/output error");
}

TEST(FindPorts, UsesTheOnlyPortIfItsNameIsUnknown) {
  FakeDpdk fake;
  fake.ports[0] = port_of("net_a", "", 1);
  fake.results["name"] = -ENODEV;
  BenchPlan plan;
  plan.vdevs = {"net_a"};
  EXPECT_EQ(text_of(find_ports(plan)), "0 net_a; ");
  fake.ports[0] = port_of("net_a", "", 1);
  fake.ports[1] = port_of("net_b", "", 2);
  plan.vdevs = {"net_a", "net_b"};
  EXPECT_EQ(text_of(find_ports(plan)), "cannot open 'net_a': the driver rejects its options");
}

struct Counters {
  const char* description;
  std::vector<std::pair<std::string, std::uint64_t>> xstats;
  std::map<std::string, int> results;
  std::string expected;  // tx.vf tx.synthetic rx.vf rx.synthetic
};

TEST(PathCounters, AreReadByName) {
  const std::vector<std::pair<std::string, std::uint64_t>> all = {{"rx_good_packets", 1},
                                                                  {"vf_rx_good_packets", 20},
                                                                  {"vf_tx_good_packets", 300},
                                                                  {"rx_q0_good_packets", 4000},
                                                                  {"tx_q0_good_packets", 50'000},
                                                                  {"tx_q1_good_packets", 600'000}};
  const Counters cases[] = {{"all", all, {}, "300 650000 20 4000"},
                            {"one", {{"vf_rx_good_packets", 7}}, {}, "0 0 7 0"},
                            {"no path", {{"rx_good_packets", 1}}, {}, "none"},
                            {"empty", {}, {}, "none"},
                            {"no count", all, {{"count", -ENOTSUP}}, "none"},
                            {"no names", all, {{"names", -ENOTSUP}}, "none"},
                            {"fewer names", all, {{"names", 5}}, "none"},
                            {"more names", all, {{"names", 7}}, "none"},
                            {"no values", all, {{"values", -ENOTSUP}}, "none"},
                            {"fewer values", all, {{"values", 5}}, "none"},
                            {"more values", all, {{"values", 7}}, "none"}};
  for (const auto& one : cases) {
    FakeDpdk fake;
    fake.ports[2].xstats = one.xstats;
    fake.results = one.results;
    const auto counters = read_path_counters(2);
    EXPECT_EQ(counters ? fmt::format("{} {} {} {}",
                                     counters->tx.vf,
                                     counters->tx.synthetic,
                                     counters->rx.vf,
                                     counters->rx.synthetic)
                       : "none",
              one.expected)
        << one.description;
  }
}

TEST(PathCounters, IgnoreValuesWithoutAName) {
  FakeDpdk fake;
  fake.ports[2].xstats = {{"vf_rx_good_packets", 7}, {"vf_tx_good_packets", 8}};
  fake.first_value = 1;  // so that the second value has no name
  const auto counters = read_path_counters(2);
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->rx.vf, 0U);
  EXPECT_EQ(counters->tx.vf, 7U);
}

struct Lower {
  const char* description;
  std::map<std::uint16_t, FakePort> ports;  // port 1 is the upper one
  std::map<std::string, int> results;
  std::string expected;
};

TEST(LowerDriver, IsThatOfTheOwnedPortWithTheSameAddress) {
  const auto owned = [](std::uint8_t mac, const char* driver = "net_mana") {
    FakePort port("vf", driver);
    port.mac = mac;
    port.owner = 5;
    return port;
  };
  auto upper = port_of("net_netvsc", "", 7);
  auto owned_upper = upper;
  owned_upper.owner = 6;
  const auto last = static_cast<std::uint16_t>(RTE_MAX_ETHPORTS - 1);
  const Lower cases[] = {
      {"first", {{0, owned(7)}, {1, upper}}, {}, "net_mana"},
      {"last", {{1, upper}, {last, owned(7)}}, {}, "net_mana"},
      {"second", {{0, owned(8, "net_other")}, {1, upper}, {2, owned(7)}}, {}, "net_mana"},
      {"itself", {{1, owned_upper}}, {}, ""},
      {"without owner", {{1, upper}, {2, port_of("free", "", 7)}}, {}, ""},
      {"another address", {{1, upper}, {2, owned(8)}}, {}, ""},
      {"no address", {{1, upper}, {2, owned(7)}}, {{"mac", -EIO}}, ""},
      {"no address of the lower port", {{1, upper}, {2, owned(7)}}, {{"mac 2", -EIO}}, ""},
      {"no address of the upper port",
       {{1, port_of("n", "", 0)}, {2, owned(0)}},
       {{"mac 1", -EIO}},
       ""},
      {"no owner", {{1, upper}, {2, owned(7)}}, {{"owner", -EIO}}, ""},
      {"no driver", {{1, upper}, {2, owned(7)}}, {{"info", -EIO}}, ""}};
  for (const auto& one : cases) {
    FakeDpdk fake;
    fake.ports = one.ports;
    fake.results = one.results;
    EXPECT_EQ(lower_driver(1), one.expected) << one.description;
  }
}

}  // namespace
}  // namespace manactl::datapath::dpdk::find_ports_test
