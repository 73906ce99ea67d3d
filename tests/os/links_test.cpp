// SPDX-License-Identifier: MIT

#include "os/links.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include "os/attributes.h"
#include "os/netlink_messages.h"

namespace manactl::os::links_test {
namespace {

using ::testing::ElementsAre;
using namespace std::string_view_literals;

std::string v4(const char* text) {
  in_addr address{};
  EXPECT_EQ(inet_pton(AF_INET, text, &address), 1);
  return std::string(bytes_of(address));
}

std::string vf_link() {
  ifinfomsg head{};
  head.ifi_index = 3;
  head.ifi_flags = IFF_UP | IFF_LOWER_UP;
  std::string body(bytes_of(head));
  append_attribute(body, IFLA_IFNAME, "enP30832s1\0"sv);
  append_attribute(body, IFLA_MTU, bytes_of(std::uint32_t{1500}));
  append_attribute(body, IFLA_MASTER, bytes_of(std::int32_t{2}));
  append_attribute(body, IFLA_OPERSTATE, "\x06"sv);
  append_attribute(body, IFLA_ADDRESS, "\x00\x0d\x3a\x76\x3b\xd0"sv);
  append_attribute(body, IFLA_PARENT_DEV_NAME, "7870:00:00.0\0"sv);
  append_attribute(body, 999, "unknown"sv);
  rtnl_link_stats64 stats{};
  stats.rx_packets = 5;
  stats.tx_packets = 1ULL << 40U;
  stats.rx_dropped = 2;
  stats.tx_dropped = 30;
  stats.rx_missed_errors = 400;
  append_attribute(body, IFLA_STATS64, bytes_of(stats));
  std::string properties;
  append_attribute(properties, IFLA_ALT_IFNAME, "first\0"sv);
  append_attribute(properties, IFLA_ALT_IFNAME, "second\0"sv);
  append_attribute(body, IFLA_PROP_LIST | NLA_F_NESTED, properties);
  return body;
}

TEST(LinkMessage, IsDecodedWithoutTheDetailsThatTheLibraryRejects) {
  std::string data, info, body = vf_link();
  append_attribute(data, IFLA_VLAN_ID, "x");
  append_attribute(info, IFLA_INFO_KIND, "vlan");
  append_attribute(info, IFLA_INFO_DATA, data);
  append_attribute(body, IFLA_LINKINFO, info);
  const auto link = decode_link(body);
  ASSERT_TRUE(link);
  EXPECT_EQ(link->kind, "vlan");
  EXPECT_EQ(link->name, "enP30832s1");
  EXPECT_EQ(link->master, 2);
  EXPECT_EQ(link->device, "7870:00:00.0");
}

TEST(LinkMessage, DescribesAVirtualFunction) {
  const auto link = decode_link(vf_link());
  ASSERT_TRUE(link);
  EXPECT_EQ(link->index, 3);
  EXPECT_EQ(link->name, "enP30832s1");
  EXPECT_EQ(link->master, 2);
  EXPECT_EQ(link->mtu, 1500U);
  EXPECT_EQ(link->operstate, "up");
  EXPECT_EQ(link->device, "7870:00:00.0");
  EXPECT_EQ(link->mac.str(), "00:0d:3a:76:3b:d0");
  EXPECT_EQ(link->rx_packets, 5U);
  EXPECT_EQ(link->tx_packets, 1ULL << 40U);
  EXPECT_EQ(link->drops, 32U);
  EXPECT_EQ(link->missed, 400U);
  EXPECT_THAT(link->alternative_names, ElementsAre("first", "second"));
  EXPECT_TRUE(link->is_up());
  EXPECT_TRUE(link->is_running());
}

TEST(LinkMessage, ToleratesTruncation) {
  const auto whole = vf_link();
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto link = decode_link(std::string(whole, 0, length));
    if (link) {
      EXPECT_EQ(link->name, "enP30832s1") << length;
    }
  }
  EXPECT_FALSE(decode_link(std::string(whole, 0, sizeof(ifinfomsg))));
}

TEST(LinkMessage, IgnoresAnIndexOfAnotherNamespace) {
  ifinfomsg head{};
  head.ifi_index = 9;
  std::string body(bytes_of(head));
  append_attribute(body, IFLA_IFNAME, "vlan1\0"sv);
  append_attribute(body, IFLA_LINK, bytes_of(std::int32_t{4}));
  EXPECT_EQ(decode_link(body)->lower, 4);
  append_attribute(body, IFLA_LINK_NETNSID, bytes_of(std::int32_t{0}));
  EXPECT_FALSE(decode_link(body)->lower);
}

TEST(AddressMessage, PrefersTheLocalAddress) {
  ifaddrmsg head{};
  head.ifa_family = AF_INET;
  head.ifa_prefixlen = 24;
  head.ifa_index = 2;
  std::string body(bytes_of(head));
  append_attribute(body, IFA_ADDRESS, v4("10.0.0.1"));
  append_attribute(body, IFA_LOCAL, v4("10.0.0.4"));
  const auto address = decode_address(body);
  EXPECT_EQ(address->text, "10.0.0.4");
  EXPECT_EQ(address->prefix_length, 24U);
  EXPECT_EQ(address->index, 2);
}

TEST(AddressMessage, IsRejectedWithoutACompleteAddress) {
  ifaddrmsg head{};
  head.ifa_family = AF_INET6;
  std::string body(bytes_of(head));
  EXPECT_FALSE(decode_address(body));
  append_attribute(body, IFA_ADDRESS, "short"sv);
  EXPECT_FALSE(decode_address(body));
}

TEST(RouteMessage, ListsEveryNextHop) {
  rtmsg head{};
  head.rtm_family = AF_INET;
  head.rtm_type = RTN_UNICAST;
  head.rtm_table = RT_TABLE_MAIN;
  std::string hops;
  for (const int index : {4, 5}) {
    std::string attributes;
    append_attribute(attributes, RTA_GATEWAY, v4(index == 4 ? "10.0.0.1" : "10.1.0.1"));
    rtnexthop hop{};
    hop.rtnh_len = static_cast<unsigned short>(sizeof(hop) + attributes.size());
    hop.rtnh_ifindex = index;
    hops += bytes_of(hop);
    hops += attributes;
  }
  std::string body(bytes_of(head));
  append_attribute(body, RTA_MULTIPATH, hops);
  append_attribute(body, RTA_PRIORITY, bytes_of(std::uint32_t{100}));
  append_attribute(body, RTA_TABLE, bytes_of(std::uint32_t{1000}));
  const auto route = decode_route(body);
  ASSERT_TRUE(route);
  EXPECT_EQ(route->destination, "default");
  EXPECT_EQ(route->gateway, "10.0.0.1");
  EXPECT_THAT(route->outputs, ElementsAre(4, 5));
  EXPECT_EQ(route->table, 1000U);
  EXPECT_EQ(route->metric, 100U);
}

TEST(RouteMessage, IsNotADefaultRouteIfTheDestinationIsTruncated) {
  rtmsg head{};
  head.rtm_family = AF_INET;
  head.rtm_type = RTN_UNICAST;
  head.rtm_dst_len = 24;
  std::string body(bytes_of(head));
  EXPECT_FALSE(decode_route(body));
  append_attribute(body, RTA_DST, "\x0a\x00"sv);
  EXPECT_FALSE(decode_route(body));
  append_attribute(body, RTA_DST, v4("10.0.0.0"));
  EXPECT_EQ(decode_route(body)->destination, "10.0.0.0/24");
}

TEST(RouteMessage, IsRejectedUnlessUnicast) {
  rtmsg head{};
  head.rtm_family = AF_INET6;
  head.rtm_type = RTN_UNREACHABLE;
  EXPECT_FALSE(decode_route(bytes_of(head)));
  head.rtm_type = RTN_UNICAST;
  EXPECT_TRUE(decode_route(bytes_of(head)));
  head.rtm_flags = RTM_F_CLONED;
  EXPECT_FALSE(decode_route(bytes_of(head)));
}

TEST(Links, ListLoopback) {
  const auto links = open_links()->links();
  ASSERT_TRUE(links) << links.error().message;
  ASSERT_FALSE(links->empty());
  EXPECT_EQ(links->front().name, "lo");
}

}  // namespace
}  // namespace manactl::os::links_test
