// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "datapath/fake_port.h"

namespace manactl::datapath::dpdk::port_start_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

using PortStart = PortTest;

TEST_F(PortStart, SetsUpEachQueue) {
  auto port = opened();
  EXPECT_EQ(text_of(port.start(plan, kPools)), "");
  EXPECT_THAT(fake.take_log(),
              ElementsAre("configure 3: 2 2 queues, mtu 0, no rss 0",
                          "adjust 3",
                          "rx 3 0: 513 on node 1, pool a0",
                          "tx 3 0: 511 on node 1",
                          "rx 3 1: 513 on node 1, pool b0",
                          "tx 3 1: 511 on node 1",
                          "start 3"));
}

struct Configuration {
  const char* description;
  std::uint16_t queues, frame;
  std::uint64_t hashes;  // that the device supports
  std::string expected;  // "configure ..." or the error
};

TEST_F(PortStart, ConfiguresHashesAndLargeFramesIfTheyAreNeeded) {
  constexpr std::uint64_t kOthers = RTE_ETH_RSS_ESP | RTE_ETH_RSS_L2TPV3;
  constexpr std::uint64_t kIp = RTE_ETH_RSS_IPV4, kUdp = RTE_ETH_RSS_NONFRAG_IPV4_UDP;
  const Configuration configurations[] = {
      {"one queue", 1, 64, kIp, "configure 3: 1 1 queues, mtu 0, no rss 0"},
      {"two queues",
       2,
       64,
       kIp | kOthers,
       fmt::format("configure 3: 2 2 queues, mtu 0, rss {:x}", kIp)},
      {"UDP", 2, 64, kUdp, fmt::format("configure 3: 2 2 queues, mtu 0, rss {:x}", kUdp)},
      {"no hash", 2, 64, kOthers, "configure 3: 2 2 queues, mtu 0, no rss 0"},
      {"ordinary frames", 1, 1518, 0, "configure 3: 1 1 queues, mtu 0, no rss 0"},
      {"large frames", 1, 1519, 0, "configure 3: 1 1 queues, mtu 1501, no rss 0"},
      {"largest frames", 1, 9018, 0, "configure 3: 1 1 queues, mtu 9000, no rss 0"},
      {"too large", 1, 9019, 0, "plan.sizes 9019: net_fake supports frames of at most 9018 bytes"},
      {"all queues", 8, 64, 0, "configure 3: 8 8 queues, mtu 0, no rss 0"},
      {"too many queues", 9, 64, 0, "plan.queues 9: net_fake supports at most 8"}};
  const std::vector<rte_mempool*> pools(8, pool_at(0xa0));
  for (const auto& one : configurations) {
    const auto before = fake.ports[3];
    plan.queues = one.queues;
    plan.traffic.sizes = {{64, 1}, {one.frame, 1}};
    fake.ports[3].info.flow_type_rss_offloads = one.hashes;
    fake.ports[3].info.max_rx_queues = 9;
    const auto result = opened().start(plan, pools);
    EXPECT_EQ(result ? fake.log.front() : result.error().message, one.expected) << one.description;
    EXPECT_TRUE(result || result.error().code == Errc::invalid) << one.description;
    fake.take_log();
    fake.ports[3] = before;
  }
}

struct Failure {
  const char* call;
  int result;
  const char* message;
  std::size_t calls;  // including the failing one
};

TEST_F(PortStart, ReportsTheCallThatFails) {
  const Failure failures[] = {
      {"info", -EIO, "net_fake: cannot read the capabilities of the device: Input/output error", 0},
      {"configure", -EBUSY, "net_fake rejects 2 queues: Device or resource busy", 1},
      {"adjust", -EINVAL, "net_fake rejects 512 descriptors: Invalid argument", 2},
      {"rx", -ENOMEM, "net_fake cannot set up queue 0: Cannot allocate memory", 3},
      {"tx", -ENOMEM, "net_fake cannot set up queue 0: Cannot allocate memory", 4},
      {"start", -ENETDOWN, "net_fake cannot start: Network is down", 7}};
  for (const auto& failure : failures) {
    const auto before = fake.ports[3];
    {
      auto port = opened();
      fake.results[failure.call] = failure.result;
      const auto result = port.start(plan, kPools);
      EXPECT_EQ(text_of(result), failure.message);
      EXPECT_EQ(result ? 0 : result.error().sys, -failure.result) << failure.call;
      EXPECT_EQ(fake.take_log().size(), failure.calls) << failure.call;
      fake.results.clear();
    }
    fake.ports[3] = before;
    fake.take_log();
  }
}

TEST_F(PortStart, RejectsFramesThatTheInterfaceCannotSend) {
  fake.interfaces[9].mtu = 1400;
  plan.mode = Mode::tx;
  const std::pair<std::uint16_t, std::string> frames[] = {
      {1418, ""},
      {1419,
       "net_fake0: plan.sizes 1419: the interface has an MTU of 1400, so frames have at most 1418 "
       "bytes"}};
  for (const auto& [bytes, message] : frames) {
    const auto before = fake.ports[3];
    plan.traffic.sizes = {{bytes, 1}};
    EXPECT_EQ(text_of(opened().start(plan, kPools)), message);
    fake.ports[3] = before;
  }
  plan.mode = Mode::rx;
  EXPECT_EQ(text_of(opened().start(plan, kPools)), "");
}

TEST_F(PortStart, AllowsAllFramesIfTheMtuIsUnknown) {
  plan.mode = Mode::tx;
  plan.traffic.sizes = {{1519, 1}};
  fake.interfaces.clear();
  EXPECT_EQ(text_of(opened().start(plan, kPools)), "");
}

using PortReopen = PortTest;

TEST_F(PortReopen, AddsTheDeviceAgainAndKeepsTheTotals) {
  auto port = started();
  auto& stats = fake.ports[3].stats;
  stats.ipackets += 11;
  stats.opackets += 22;
  stats.ierrors += 3;
  stats.oerrors += 4;
  stats.imissed += 5;
  stats.rx_nombuf += 6;
  fake.ports[3].set_queue_packets({407, 604}, {909, 1113});
  fake.next = FakePort("net_fake0", "net_fake");
  fake.next.info.if_index = 12;
  fake.next_id = 5;
  EXPECT_EQ(text_of(Port::reopen({&port})), "");
  const auto log = fake.take_log();
  ASSERT_EQ(log.size(), 11U);
  EXPECT_THAT(std::vector(log.begin(), log.begin() + 5),
              ElementsAre("stop 3",
                          "close 3",
                          "remove vdev net_fake0",
                          "add vdev net_fake0 'iface=fake0,b=2'",
                          "configure 5: 2 2 queues, mtu 0, no rss 0"));
  EXPECT_EQ(log[8], "rx 5 1: 513 on node 1, pool b0");
  EXPECT_EQ(port.id(), 5);
  EXPECT_EQ(port.interface_index(), 12U);
  EXPECT_EQ(text_of(port.count()), "rx 11 ( 7 4 ) 3 5 6, tx 22 ( 9 13 ) 4");
  fake.ports[5].stats.ipackets = 100;
  fake.ports[5].stats.oerrors = 200;
  fake.ports[5].stats.imissed = 300;
  fake.ports[5].stats.rx_nombuf = 400;
  fake.ports[5].set_queue_packets({10, 20}, {30, 40});
  EXPECT_EQ(text_of(port.count()), "rx 111 ( 17 24 ) 3 305 406, tx 22 ( 39 53 ) 204");
  port.mark();
  EXPECT_EQ(text_of(port.count()), "rx 0 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
}

TEST_F(PortReopen, PassesNoOptionsIfThePlanHasNone) {
  plan.vdevs = {"net_fake0"};
  auto port = started();
  fake.next = fake.ports[3];
  fake.next_id = 3;
  EXPECT_EQ(text_of(Port::reopen({&port})), "");
  EXPECT_THAT(fake.take_log(), testing::Contains("add vdev net_fake0 ''"));
}

TEST_F(PortReopen, FailsForADeviceThatThePlanDoesNotAdd) {
  plan.vdevs = {"net_fake", "net_fake01"};
  auto port = started();
  const auto result = Port::reopen({&port});
  EXPECT_EQ(text_of(result), "net_fake0 has no arguments");
  EXPECT_EQ(result.error().code, Errc::unsupported);
  EXPECT_THAT(fake.take_log(), IsEmpty());
}

TEST_F(PortReopen, CanBeRepeatedAfterAFailure) {
  auto port = started();
  fake.ports[3].stats.ipackets += 11;
  fake.next = FakePort("net_fake0", "net_fake");
  fake.next_id = 3;
  fake.results["add"] = -ENODEV;
  EXPECT_EQ(text_of(Port::reopen({&port})), "cannot open 'net_fake0' again: No such device");
  EXPECT_EQ(text_of(port.count()), "rx 11 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
  EXPECT_THAT(
      fake.take_log(),
      ElementsAre(
          "stop 3", "close 3", "remove vdev net_fake0", "add vdev net_fake0 'iface=fake0,b=2'"));
  fake.results.clear();
  fake.next.name = "net_fake9";
  EXPECT_EQ(text_of(Port::reopen({&port})), "'net_fake0' created no port 'net_fake0'");
  fake.next.name = "net_fake0";
  fake.results["start"] = -ENETDOWN;
  EXPECT_EQ(text_of(Port::reopen({&port})), "net_fake cannot start: Network is down");
  EXPECT_EQ(text_of(port.count()), "rx 11 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
  fake.results.clear();
  fake.take_log();
  EXPECT_EQ(text_of(Port::reopen({&port})), "");
  EXPECT_EQ(fake.log.front(), "stop 3");  // of the port that did not start
  EXPECT_EQ(text_of(port.count()), "rx 11 ( 0 0 ) 0 0 0, tx 0 ( 0 0 ) 0");
}

TEST_F(PortReopen, DoesNotCloseAMissingPort) {
  {
    auto port = started();
    fake.results["add"] = -ENODEV;
    EXPECT_THAT(text_of(Port::reopen({&port})), HasSubstr("cannot open"));
    fake.take_log();
  }
  EXPECT_THAT(fake.take_log(), IsEmpty());
}

}  // namespace
}  // namespace manactl::datapath::dpdk::port_start_test
