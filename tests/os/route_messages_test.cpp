// SPDX-License-Identifier: MIT
//
// Every field of the messages about links, addresses and routes.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/if.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>

#include <functional>

#include "os/attributes.h"
#include "os/links.h"
#include "os/netlink_messages.h"

namespace manactl::os::route_messages_test {
namespace {

using ::testing::ElementsAre;
using namespace std::string_literals;

std::string packed(const std::string& text) {
  const int family = text.find(':') != std::string::npos ? AF_INET6 : AF_INET;
  std::array<char, 16> bytes{};
  EXPECT_EQ(inet_pton(family, text.c_str(), bytes.data()), 1) << text;
  return std::string(bytes.data(), family == AF_INET ? 4 : 16);
}

std::string index_bytes(std::int32_t index) {
  return std::string(bytes_of(index));
}

// The text of each field, so that tests compare all at once.
std::string text_of(const std::optional<Link>& link) {
  if (!link) return "none";
  std::string names;
  for (const auto& name : link->alternative_names) names += name + ",";
  return fmt::format("{} {} [{}] flags {:x} {} mtu {} {} master {} lower {} kind '{}' {}/{}",
                     link->index,
                     link->name,
                     names,
                     link->flags,
                     link->operstate,
                     link->mtu,
                     link->mac.str(),
                     link->master.value_or(0),
                     link->lower.value_or(0),
                     link->kind,
                     link->rx_packets,
                     link->tx_packets);
}

std::string text_of(const std::optional<Address>& address) {
  if (!address) return "none";
  return fmt::format("{} {}/{} scope {} flags {:x} brd '{}' peer '{}' label '{}' {}/{}",
                     address->index,
                     address->text,
                     address->prefix_length,
                     address->scope,
                     address->flags,
                     address->broadcast,
                     address->peer,
                     address->label,
                     address->valid,
                     address->preferred);
}

std::string text_of(const std::optional<Route>& route) {
  if (!route) return "none";
  std::string outputs;
  for (const int output : route->outputs) outputs += fmt::format("{},", output);
  return fmt::format("{} via '{}' dev {} table {} metric {} proto {} scope {} src '{}'{}{}",
                     route->destination,
                     route->gateway,
                     outputs,
                     route->table,
                     route->metric,
                     route->protocol,
                     route->scope,
                     route->source,
                     route->onlink ? " onlink" : "",
                     route->ipv6 ? " ipv6" : "");
}

std::string link_body(int index, const std::vector<std::pair<unsigned, std::string>>& attributes) {
  ifinfomsg head{};
  head.ifi_index = index;
  std::string body(bytes_of(head));
  for (const auto& [type, data] : attributes) {
    append_attribute(body, type, type == IFLA_IFNAME ? data + '\0' : data);
  }
  return body;
}

TEST(LinkAttributes, HaveDefaults) {
  EXPECT_EQ(text_of(decode_link(link_body(1, {{IFLA_IFNAME, "lo"}}))),
            "1 lo [] flags 0 unknown mtu 0 00:00:00:00:00:00 master 0 lower 0 kind '' 0/0");
  EXPECT_EQ(text_of(decode_link(link_body(0, {{IFLA_IFNAME, "lo"}}))), "none");
  EXPECT_EQ(text_of(decode_link(link_body(-1, {{IFLA_IFNAME, "lo"}}))), "none");
  EXPECT_EQ(text_of(decode_link(link_body(1, {}))), "none");
  EXPECT_EQ(text_of(decode_link("short")), "none");
}

TEST(LinkAttributes, AreIgnoredIfTheirValueIsNotKnown) {
  EXPECT_EQ(text_of(decode_link(link_body(7,
                                          {{IFLA_IFNAME, "eth0"},
                                           {IFLA_MASTER, index_bytes(0)},
                                           {IFLA_LINK, index_bytes(-1)},
                                           {IFLA_ADDRESS, "20 bytes of an address"}}))),
            "7 eth0 [] flags 0 unknown mtu 0 00:00:00:00:00:00 master 0 lower 0 kind '' 0/0");
}

TEST(LinkAttributes, MustHaveTheirLength) {
  EXPECT_EQ(text_of(decode_link(link_body(7, {{IFLA_IFNAME, "eth0"}, {IFLA_MTU, "x"}}))), "none");
  EXPECT_EQ(text_of(decode_link(link_body(7, {{IFLA_IFNAME, "eth0"}, {IFLA_STATS64, "x"}}))),
            "none");
}

TEST(LinkAttributes, HaveTheSmallestIndexes) {
  EXPECT_EQ(
      text_of(decode_link(link_body(
          2, {{IFLA_IFNAME, "eth0"}, {IFLA_MASTER, index_bytes(1)}, {IFLA_LINK, index_bytes(1)}}))),
      "2 eth0 [] flags 0 unknown mtu 0 00:00:00:00:00:00 master 1 lower 1 kind '' 0/0");
}

TEST(LinkAttributes, NameEachOperationalState) {
  std::vector<std::string> names;
  for (const char state : {IF_OPER_UNKNOWN,
                           IF_OPER_NOTPRESENT,
                           IF_OPER_DOWN,
                           IF_OPER_LOWERLAYERDOWN,
                           IF_OPER_TESTING,
                           IF_OPER_DORMANT,
                           IF_OPER_UP}) {
    const auto link =
        decode_link(link_body(1, {{IFLA_IFNAME, "e"}, {IFLA_OPERSTATE, std::string(1, state)}}));
    names.push_back(link->operstate);
  }
  EXPECT_THAT(
      names,
      ElementsAre("unknown", "notpresent", "down", "lowerlayerdown", "testing", "dormant", "up"));
}

TEST(LinkAttributes, IncludeTheKindAndOnlyOtherNames) {
  std::string info, properties;
  append_attribute(info, IFLA_INFO_KIND, "vlan\0"s);
  append_attribute(properties, IFLA_ALT_IFNAME, "first");
  append_attribute(properties, IFLA_ALT_IFNAME + 1, "unknown");
  rtnl_link_stats64 counters{};
  counters.rx_packets = 5;
  counters.tx_packets = 6;
  EXPECT_EQ(text_of(decode_link(link_body(7,
                                          {{IFLA_IFNAME, "v"},
                                           {IFLA_LINKINFO, info},
                                           {IFLA_LINK, index_bytes(3)},
                                           {IFLA_STATS64, std::string(bytes_of(counters))},
                                           {IFLA_PROP_LIST, properties}}))),
            "7 v [first,] flags 0 unknown mtu 0 00:00:00:00:00:00 master 0 lower 3 kind 'vlan' "
            "5/6");
}

TEST(LinkAttributes, HaveNoLowerInterfaceIfItIsThePeerOrTheLinkItself) {
  std::string info;
  append_attribute(info, IFLA_INFO_KIND, "veth\0"s);
  const auto lower = [](const std::vector<std::pair<unsigned, std::string>>& more) {
    auto all = more;
    all.emplace_back(IFLA_IFNAME, "v");
    return decode_link(link_body(7, all))->lower;
  };
  EXPECT_EQ(lower({{IFLA_LINK, index_bytes(3)}}), 3);
  EXPECT_FALSE(lower({{IFLA_LINK, index_bytes(7)}}));
  EXPECT_FALSE(lower({{IFLA_LINK, index_bytes(3)}, {IFLA_LINKINFO, info}}));
  EXPECT_FALSE(lower({{IFLA_LINK, index_bytes(3)}, {IFLA_LINK_NETNSID, index_bytes(0)}}));
}

TEST(LinkFlags, AreTestedOneByOne) {
  Link link;
  link.flags = IFF_UP;
  EXPECT_TRUE(link.is_up() && !link.is_running());
  link.flags = IFF_LOWER_UP;
  EXPECT_TRUE(link.is_running() && !link.is_up());
}

std::string address_body(unsigned char family,
                         const std::vector<std::pair<unsigned, std::string>>& attributes) {
  ifaddrmsg head{};
  head.ifa_family = family;
  head.ifa_index = 3;
  head.ifa_prefixlen = 31;
  head.ifa_scope = RT_SCOPE_LINK;
  head.ifa_flags = IFA_F_PERMANENT;
  std::string body(bytes_of(head));
  for (const auto& [type, data] : attributes) append_attribute(body, type, data);
  return body;
}

TEST(AddressAttributes, AreAllRead) {
  ifa_cacheinfo times{};
  times.ifa_prefered = 100;
  times.ifa_valid = 200;
  const std::string label = "eth0:1\0"s;
  EXPECT_EQ(
      text_of(decode_address(address_body(AF_INET,
                                          {{IFA_LOCAL, packed("10.0.0.4")},
                                           {IFA_ADDRESS, packed("10.0.0.5")},
                                           {IFA_BROADCAST, packed("10.0.0.7")},
                                           {IFA_LABEL, label},
                                           {IFA_FLAGS, std::string(bytes_of(std::uint32_t{0x280}))},
                                           {IFA_CACHEINFO, std::string(bytes_of(times))}}))),
      "3 10.0.0.4/31 scope 253 flags 280 brd '10.0.0.7' peer '10.0.0.5' label 'eth0:1' "
      "200/100");
  EXPECT_EQ(text_of(decode_address(address_body(AF_INET6, {{IFA_ADDRESS, packed("fd00::4")}}))),
            "3 fd00::4/31 scope 253 flags 80 brd '' peer '' label '' 4294967295/4294967295");
  EXPECT_EQ(text_of(decode_address(address_body(
                AF_INET, {{IFA_LOCAL, packed("10.0.0.4")}, {IFA_ADDRESS, packed("10.0.0.4")}}))),
            "3 10.0.0.4/31 scope 253 flags 80 brd '' peer '' label '' 4294967295/4294967295");
  // The kernel leaves out the peer 0.0.0.0.
  EXPECT_EQ(decode_address(address_body(AF_INET, {{IFA_LOCAL, packed("10.0.0.4")}}))->peer,
            "0.0.0.0");
  EXPECT_EQ(decode_address(address_body(AF_INET6,
                                        {{IFA_ADDRESS, packed("fd00::4")},
                                         {IFA_RT_PRIORITY, std::string(bytes_of(7U))}}))
                ->metric,
            7U);
  EXPECT_EQ(text_of(decode_address(address_body(AF_BRIDGE, {{IFA_LOCAL, packed("fd00::4")}}))),
            "none");
  EXPECT_EQ(text_of(decode_address("short")), "none");
}

rtmsg unicast(unsigned char family) {
  rtmsg head{};
  head.rtm_family = family;
  head.rtm_type = RTN_UNICAST;
  head.rtm_table = RT_TABLE_MAIN;
  head.rtm_protocol = RTPROT_STATIC;
  head.rtm_scope = RT_SCOPE_LINK;
  return head;
}

std::string route_body(const rtmsg& head,
                       const std::vector<std::pair<unsigned, std::string>>& attributes) {
  std::string body(bytes_of(head));
  for (const auto& [type, data] : attributes) append_attribute(body, type, data);
  return body;
}

TEST(RouteAttributes, AreAllRead) {
  auto head = unicast(AF_INET);
  head.rtm_dst_len = 24;
  head.rtm_flags = RTNH_F_ONLINK;
  EXPECT_EQ(
      text_of(decode_route(route_body(head,
                                      {{RTA_DST, packed("10.1.0.0")},
                                       {RTA_OIF, index_bytes(1)},
                                       {RTA_GATEWAY, packed("10.0.0.1")},
                                       {RTA_PREFSRC, packed("10.0.0.4")},
                                       {RTA_PRIORITY, std::string(bytes_of(std::uint32_t{100}))},
                                       {RTA_TABLE, std::string(bytes_of(std::uint32_t{1000}))}}))),
      "10.1.0.0/24 via '10.0.0.1' dev 1, table 1000 metric 100 proto 4 scope 253 src "
      "'10.0.0.4' onlink");
  head = unicast(AF_INET6);
  EXPECT_EQ(
      text_of(decode_route(route_body(
          head,
          {{RTA_DST, packed("::")}, {RTA_OIF, index_bytes(0)}, {RTA_GATEWAY, packed("fd00::1")}}))),
      "default via 'fd00::1' dev  table 254 metric 0 proto 4 scope 253 src '' ipv6");
}

TEST(RouteAttributes, AreThoseOfUnicastRoutes) {
  auto head = unicast(AF_INET);
  EXPECT_NE(text_of(decode_route(bytes_of(head))), "none");
  head.rtm_dst_len = 1;
  EXPECT_EQ(text_of(decode_route(bytes_of(head))), "none");
  EXPECT_EQ(decode_route(route_body(head, {{RTA_DST, packed("128.0.0.0")}}))->destination,
            "128.0.0.0/1");
  EXPECT_EQ(text_of(decode_route(bytes_of(unicast(AF_BRIDGE)))), "none");
  EXPECT_EQ(text_of(decode_route("short")), "none");
}

TEST(RouteAttributes, MayHaveAGatewayOfTheOtherFamily) {
  const auto via = [](std::uint16_t family, const std::string& bytes) {
    const std::string data = std::string(bytes_of(family)) + bytes;
    return decode_route(route_body(unicast(AF_INET), {{RTA_VIA, data}}))->gateway;
  };
  EXPECT_EQ(via(AF_INET6, packed("fe80::1")), "fe80::1");
  EXPECT_EQ(via(AF_INET, packed("10.0.0.1")), "10.0.0.1");
  EXPECT_EQ(via(AF_INET6, packed("10.0.0.1")), "");
  EXPECT_EQ(via(AF_BRIDGE, packed("fe80::1")), "");
}

// libnl-route-3 rejects routes with the encapsulations of seg6(4), for example.
TEST(RouteAttributes, MayIncludeAnyEncapsulation) {
  const std::pair<unsigned, std::string> type{RTA_ENCAP_TYPE,
                                              std::string(bytes_of(std::uint16_t{5}))};
  const std::pair<unsigned, std::string> data{RTA_ENCAP, "data of the encapsulation"};
  const auto body = route_body(
      unicast(AF_INET), {data, {RTA_GATEWAY, packed("10.0.0.1")}, type, {RTA_OIF, index_bytes(3)}});
  ASSERT_TRUE(decode_route(body));
  EXPECT_EQ(text_of(decode_route(body)),
            "default via '10.0.0.1' dev 3, table 254 metric 0 proto 4 scope 253 src ''");
  EXPECT_EQ(decode_route(body)->request, request_of_route(body));
  std::string hops;
  for (const int index : {3, 4}) {
    std::string attributes;
    for (const auto& [key, value] : {data, type}) append_attribute(attributes, key, value);
    append_attribute(attributes, RTA_GATEWAY, packed("10.0.0.1"));
    rtnexthop head{};
    head.rtnh_len = static_cast<unsigned short>(sizeof(head) + attributes.size());
    head.rtnh_ifindex = index;
    hops += std::string(bytes_of(head)) + attributes;
  }
  EXPECT_EQ(text_of(decode_route(route_body(unicast(AF_INET), {{RTA_MULTIPATH, hops}}))),
            "default via '10.0.0.1' dev 3,4, table 254 metric 0 proto 4 scope 253 src ''");
}

TEST(NextHops, AreReadUntilOneIsTruncated) {
  const auto hop = [](int index, unsigned short length, std::string_view attributes = {}) {
    rtnexthop head{};
    head.rtnh_len = length;
    head.rtnh_ifindex = index;
    return std::string(bytes_of(head)) + std::string(attributes);
  };
  std::string other;
  append_attribute(other, RTA_FLOW, "flow");  // 4 bytes
  append_attribute(other, RTA_GATEWAY, packed("10.0.0.1"));
  const auto whole = static_cast<unsigned short>(sizeof(rtnexthop) + other.size());
  const auto text = [](const std::string& hops) {
    return text_of(decode_route(route_body(unicast(AF_INET), {{RTA_MULTIPATH, hops}})));
  };
  const std::string rest = " table 254 metric 0 proto 4 scope 253 src ''";
  const auto empty = static_cast<unsigned short>(sizeof(rtnexthop));
  EXPECT_EQ(text(hop(0, empty) + hop(1, empty) + hop(2, whole, other)),
            "default via '10.0.0.1' dev 1,2," + rest);
  EXPECT_EQ(text(hop(3, empty) + hop(4, empty + 1)), "default via '' dev 3," + rest);
  EXPECT_EQ(text(hop(3, empty) + "short"), "default via '' dev 3," + rest);
}

}  // namespace
}  // namespace manactl::os::route_messages_test
