// SPDX-License-Identifier: MIT
#include "datapath/dpdk/port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <tuple>
#include <utility>

#include "datapath/fake_port.h"

namespace manactl::datapath::dpdk::port_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using PortOpen = PortTest;

TEST_F(PortOpen, ReadsTheDevice) {
  const auto port = opened(true);
  EXPECT_EQ(port.id(), 3);
  EXPECT_EQ(port.node(), 1);
  EXPECT_EQ(port.driver(), "net_fake");
  EXPECT_EQ(port.device(), "net_fake0");
  EXPECT_EQ(port.interface_index(), 9U);
  EXPECT_TRUE(port.is_physical());
  EXPECT_FALSE(opened().is_physical());
}

TEST_F(PortOpen, FailsWithoutCapabilities) {
  fake.results["info"] = -EIO;
  const auto port = Port::open(3, "net_fake0", false);
  ASSERT_FALSE(port.has_value());
  EXPECT_EQ(port.error().message,
            "net_fake0: cannot read the capabilities of the device: Input/output error");
  EXPECT_EQ(port.error().sys, EIO);
}

struct Link {
  const char* description;
  bool physical;
  int result;
  std::uint32_t mbps;
  std::uint64_t expected;
};

TEST_F(PortOpen, KnowsNoLinkOfOtherDevices) {
  const Link links[] = {{"known", true, 0, 10'000, 10'000},
                        {"virtual", false, 0, 10'000, 0},
                        {"failing", true, -EIO, 10'000, 0},
                        {"unknown", true, 0, RTE_ETH_SPEED_NUM_UNKNOWN, 0}};
  for (const auto& link : links) {
    const auto before = fake.ports[3];
    fake.ports[3].link_mbps = link.mbps;
    if (link.result != 0) fake.results["link"] = link.result;
    const auto report = opened(link.physical).report();
    EXPECT_EQ(report.link_mbps, link.expected) << link.description;
    EXPECT_EQ(report.device, "net_fake0");
    EXPECT_EQ(report.driver, "net_fake");
    EXPECT_EQ(report.mac.str(), "02:00:00:00:00:07");
    EXPECT_EQ(report.lower, "");
    fake.results.clear();
    fake.ports[3] = before;
  }
}

TEST_F(PortOpen, HasNoAddressIfTheDriverFails) {
  fake.results["mac"] = -ENOTSUP;
  const auto port = opened();
  EXPECT_EQ(port.report().mac.str(), MacAddress{}.str());
  ASSERT_FALSE(port.mac().has_value());
  EXPECT_EQ(port.mac().error().message,
            "cannot read the MAC address of the device: Operation not supported");
}

TEST_F(PortOpen, EndsWithClosingTheDevice) {
  opened();
  EXPECT_THAT(fake.take_log(), ElementsAre("stop 3", "close 3"));
}

using PortMove = PortTest;

TEST_F(PortMove, TransfersEverything) {
  fake.ports[4] = FakePort("net_other0", "net_other");
  auto from = started();
  fake.ports[3].stats.ipackets += 5;
  fake.ports[3].xstats.back().second += 6;
  {
    Port to = std::move(from);
    EXPECT_EQ(to.id(), 3);
    EXPECT_EQ(to.node(), 1);
    EXPECT_EQ(to.driver(), "net_fake");
    EXPECT_EQ(to.device(), "net_fake0");
    EXPECT_EQ(to.interface_index(), 9U);
    EXPECT_EQ(text_of(to.count()), "rx 5 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
    ASSERT_TRUE(to.path_counters());
    EXPECT_EQ(to.path_counters()->tx.synthetic, 6U);

    auto other = Port::open(4, "net_other0", true).value();
    other = std::move(to);
    EXPECT_EQ(other.id(), 3);
    EXPECT_FALSE(other.is_physical());
    EXPECT_EQ(to.id(), 4);  // NOLINT(bugprone-use-after-move): assignment swaps
    EXPECT_TRUE(to.is_physical());
    EXPECT_EQ(to.node(), 0);
    EXPECT_EQ(to.driver(), "net_other");
    EXPECT_EQ(to.interface_index(), 0U);
    EXPECT_FALSE(to.path_counters());
    EXPECT_THAT(fake.take_log(), IsEmpty());

    // The plan and the pools of start() moved as well.
    fake.next = fake.ports[3];
    fake.next_id = 3;
    EXPECT_EQ(text_of(Port::reopen({&other})), "");
    const Port last = std::move(other);
    EXPECT_EQ(text_of(last.count()), "rx 5 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
    EXPECT_THAT(fake.take_log(), testing::Contains("rx 3 1: 513 on node 1, pool b0"));
    fake.ports[3].info.driver_name = "net_fake";
  }
  EXPECT_THAT(fake.take_log(), ElementsAre("stop 3", "close 3", "stop 4", "close 4"));
}

TEST_F(PortMove, KeepsTheNameOfTheInterface) {
  fake.ports[3].info.driver_name = "net_af_packet";
  auto from = opened();
  const Port port = std::move(from);
  fake.interfaces.clear();
  fake.interfaces[10] = {"fake0", 1500, true};
  EXPECT_TRUE(port.has_returned());
}

struct Successor {
  const char* description;
  const char* driver;
  std::map<unsigned, FakeInterface> interfaces;
  bool expected;
};

using PortSuccessor = PortTest;

TEST_F(PortSuccessor, IsANewInterfaceOfTheSameName) {
  const Successor successors[] = {
      {"replaced", "net_af_packet", {{10, {"fake0", 1500, true}}}, true},
      {"still there", "net_af_packet", {{9, {"fake0", 1500, true}}}, false},
      {"down", "net_af_packet", {{10, {"fake0", 1500, false}}}, false},
      {"another name", "net_af_packet", {{10, {"fake1", 1500, true}}}, false},
      {"none", "net_af_packet", {}, false},
      {"deleted tap", "net_tap", {}, true},
      {"deleted tun", "net_tun", {}, true},
      {"tap still there", "net_tap", {{9, {"fake0", 1500, true}}}, false},
      {"another driver", "net_fake", {{10, {"fake0", 1500, true}}}, false}};
  for (const auto& successor : successors) {
    const auto before = std::pair(fake.ports[3], fake.interfaces);
    {
      fake.ports[3].info.driver_name = successor.driver;
      const auto port = opened();
      fake.interfaces = successor.interfaces;
      EXPECT_EQ(port.has_returned(), successor.expected) << successor.description;
    }  // closing the port removes it from `fake`
    std::tie(fake.ports[3], fake.interfaces) = before;
  }
}

using PortCounts = PortTest;

TEST_F(PortCounts, BeginAtTheMark) {
  auto port = started();
  EXPECT_EQ(text_of(port.count()), "rx 0 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
  auto& stats = fake.ports[3].stats;
  stats.ipackets += 11;
  stats.opackets += 22;
  stats.ierrors += 3;
  stats.oerrors += 4;
  stats.imissed += 5;
  stats.rx_nombuf += 6;
  fake.ports[3].set_queue_packets({407, 604}, {909, 1113});
  EXPECT_EQ(text_of(port.count()), "rx 11 ( 7 4 ) 3 5 6, tx 22 ( 9 13 ) 4");
  port.mark();
  EXPECT_EQ(text_of(port.count()), "rx 0 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
}

// These drivers leave `imissed` at 0.
TEST_F(PortCounts, LackMissedPacketsThatTheDriverDoesNotReport) {
  const auto fake_port = fake.ports[3];
  for (const auto* driver : {"net_mana", "net_af_packet", "net_tap"}) {
    fake.ports[3] = fake_port;
    fake.ports[3].info.driver_name = driver;
    auto port = started();
    fake.ports[3].stats.rx_nombuf += 6;
    EXPECT_EQ(text_of(port.count()), "rx 0 ( 0 0 ) 0 ? 6, tx 0 ( 0 0 ) 0") << driver;
  }
}

TEST_F(PortCounts, AreZeroIfTheyGoBackwards) {
  auto port = started();
  fake.ports[3].stats = {};
  fake.ports[3].set_queue_packets({0, 601}, {0, 0});
  EXPECT_EQ(text_of(port.count()), "rx 0 ( 0 1 ) 0 0 0, tx 0 ( 0 0 ) 0");
}

TEST_F(PortCounts, AreAbsentWithoutStatistics) {
  auto port = started();
  fake.results["stats"] = -ENOTSUP;
  EXPECT_EQ(text_of(port.count()), "none");
  port.mark();
  fake.results.clear();
  EXPECT_EQ(text_of(port.count()), "rx 1000 ( 400 600 ) 10 30 40, tx 2000 ( 900 1100 ) 20");
}

TEST_F(PortCounts, OfThePathBeginAtTheMark) {
  auto port = started();
  fake.ports[3].xstats[fake.ports[3].xstats.size() - 2].second += 100;
  fake.ports[3].xstats.back().second += 3;
  ASSERT_TRUE(port.path_counters());
  EXPECT_EQ(port.path_counters()->rx.vf, 100U);
  EXPECT_EQ(port.path_counters()->rx.synthetic, 0U);
  EXPECT_EQ(port.path_counters()->tx.vf, 0U);
  EXPECT_EQ(port.path_counters()->tx.synthetic, 3U);
  fake.results["count"] = -ENOTSUP;
  EXPECT_FALSE(port.path_counters());
  port.mark();
  fake.results.clear();
  EXPECT_FALSE(port.path_counters());
}

using PortDrain = PortTest;

std::size_t bursts_of(FakeDpdk& fake) {
  std::size_t bursts = 0;
  for (const auto& line : fake.take_log()) bursts += line.starts_with("burst") ? 1 : 0;
  return bursts;
}

TEST_F(PortDrain, PollsEachQueueUntilTheDeviceIsIdle) {
  const auto port = started();
  fake.ports[3].stats.opackets += 3;
  fake.ports[3].stats.oerrors += 4;
  port.drain(2, 7);
  EXPECT_THAT(fake.take_log(), IsEmpty());
  port.drain(2, 8);
  const auto log = fake.take_log();
  // One step sees the first packets, and ten more see no progress.
  ASSERT_EQ(log.size(), 2U * 10);
  for (std::size_t i = 0; i < log.size(); ++i) {
    EXPECT_EQ(log[i], i % 2 == 0 ? "burst 0 0" : "burst 1 0");
  }
}

TEST_F(PortDrain, ContinuesWhileTheDeviceMakesProgress) {
  const auto port = started();
  unsigned polls = 0;
  fake.on_burst = [&] {
    if (++polls % 8 == 0) ++fake.ports[3].stats.opackets;
  };
  port.drain(1, 5);
  EXPECT_EQ(polls, 40U);
}

TEST_F(PortDrain, EndsIfTheDeviceIsRemoved) {
  const auto port = started();
  fake.results["stats"] = -ENODEV;
  port.drain(1, 5);
  EXPECT_EQ(bursts_of(fake), 0U);
}

}  // namespace
}  // namespace manactl::datapath::dpdk::port_test
