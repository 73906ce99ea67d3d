// SPDX-License-Identifier: MIT
#include "datapath/traffic/traffic.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "wire/toeplitz.h"

namespace manactl::datapath::traffic_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(SizePattern, HasTheSharesOfOneRound) {
  const auto pattern = size_pattern({{64, 7}, {570, 4}, {1518, 1}});
  ASSERT_EQ(pattern.size(), 12U);
  EXPECT_EQ(std::count(pattern.begin(), pattern.end(), 0), 7);
  EXPECT_EQ(std::count(pattern.begin(), pattern.end(), 1), 4);
  EXPECT_EQ(std::count(pattern.begin(), pattern.end(), 2), 1);
}

TEST(SizePattern, SpreadsSizesEvenly) {
  EXPECT_THAT(size_pattern({{64, 1}, {512, 1}, {1518, 1}}), ElementsAre(0, 1, 2));
  EXPECT_THAT(size_pattern({{64, 3}, {1518, 1}}), ElementsAre(0, 0, 1, 0));
  const auto pattern = size_pattern({{64, 50}, {1518, 51}});
  for (std::size_t i = 2; i < pattern.size(); ++i) {
    EXPECT_FALSE(pattern[i] == pattern[i - 1] && pattern[i] == pattern[i - 2]) << i;
  }
}

TEST(SizePattern, IsAsShortAsPossible) {
  EXPECT_THAT(size_pattern({{64, 100}}), ElementsAre(0));
  EXPECT_THAT(size_pattern({{64, 20}, {1518, 10}}).size(), 3U);
}

TEST(SourcePorts, AreNeverSharedByTwoQueues) {
  for (const unsigned flows : {1U, 3U, 256U, max_flows(64)}) {
    std::set<unsigned> seen;
    for (unsigned queue = 0; queue < 64; ++queue) {
      const auto ports = source_ports(queue, 64, flows);
      EXPECT_EQ(ports.last - ports.first + 1U, flows);
      for (unsigned port = ports.first; port <= ports.last; ++port) {
        EXPECT_GE(port, 1024U);
        EXPECT_TRUE(seen.insert(port).second) << port;
      }
    }
    EXPECT_EQ(seen.size(), 64 * flows);
  }
}

TEST(SourcePorts, AreDynamicPortsIfThereAreEnough) {
  EXPECT_EQ(source_ports(0, 4, 100).first, kFirstSourcePort);
  EXPECT_EQ(source_ports(0, 1, 16384).first, kFirstSourcePort);
  EXPECT_EQ(source_ports(0, 1, 16384).last, 65535);
  EXPECT_EQ(source_ports(0, 1, 16385).first, 1024);
}

// With the key of NDIS, which engine verbs and net_netvsc use. The addresses do not matter.
TEST(SourcePorts, HashToAllReceiveQueues) {
  const wire::HashKey key = {0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                             0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                             0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                             0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};
  for (unsigned queues = 1; queues <= 64; queues *= 2) {
    for (const unsigned flows : {1U, 2U, 3U, 16U, 100U, max_flows(64)}) {
      std::set<unsigned> reached;
      for (unsigned queue = 0; queue < queues; ++queue) {
        const auto ports = source_ports(queue, queues, flows);
        for (unsigned port = ports.first; port <= ports.last; ++port) {
          const std::array<std::uint8_t, 12> input = {
              10, 0, 0, 4, 10, 0, 0, 5, std::uint8_t(port >> 8U), std::uint8_t(port), 0, 9};
          reached.insert(wire::toeplitz(key, input) % queues);
        }
      }
      EXPECT_EQ(reached.size(), queues) << flows << " flows";
    }
  }
}

TEST(PacketsPerSecond, SupportPacketsBitsAndPercent) {
  Traffic traffic;
  EXPECT_DOUBLE_EQ(*packets_per_second({Rate::Unit::packets, 1.5e6}, traffic, 0), 1.5e6);
  EXPECT_DOUBLE_EQ(*packets_per_second({Rate::Unit::bits, 512e6}, traffic, 0), 1e6);
  // 14.88 Mpps of the smallest frames fill a link of 10 Gbit/s.
  EXPECT_NEAR(*packets_per_second({Rate::Unit::percent, 100}, traffic, 10000), 14'880'952, 1);
  traffic.sizes = {{64, 7}, {570, 4}, {1518, 1}};
  EXPECT_NEAR(*packets_per_second({Rate::Unit::bits, 1e9}, traffic, 0), 353'273.67, 0.01);
}

TEST(PacketsPerSecond, CannotBeAShareOfAnUnknownLinkSpeed) {
  const auto rate = packets_per_second({Rate::Unit::percent, 50}, {}, 0);
  ASSERT_FALSE(rate);
  EXPECT_EQ(rate.error().code, Errc::invalid);
  EXPECT_THAT(rate.error().message, HasSubstr("plan.rate 50%: the link speed is unknown"));
}

}  // namespace
}  // namespace manactl::datapath::traffic_test
