// SPDX-License-Identifier: MIT
//
// Messages about next-hop objects, namespaces and routes of one connection.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/if_link.h>
#include <linux/if_tunnel.h>
#include <linux/inet_diag.h>
#include <linux/net_namespace.h>
#include <linux/nexthop.h>
#include <linux/rtnetlink.h>
#include <netinet/tcp.h>

#include "os/attributes.h"
#include "os/memory_files.h"
#include "os/netlink_messages.h"
#include "os/network_namespaces.h"

namespace manactl::os::next_hops_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using namespace std::string_view_literals;

std::string number(std::uint32_t value) {
  return std::string(bytes_of(value));
}

std::string next_hop(const std::vector<std::pair<unsigned, std::string>>& attributes) {
  std::string body(bytes_of(nhmsg{}));
  for (const auto& [type, data] : attributes) append_attribute(body, type, data);
  return body;
}

TEST(NextHopMessage, HasAnInterfaceOrMembers) {
  const auto single = decode_next_hop(next_hop({{NHA_ID, number(5)}, {NHA_OIF, number(3)}}));
  ASSERT_TRUE(single);
  EXPECT_EQ(single->id, 5U);
  EXPECT_EQ(single->output, 3);
  EXPECT_THAT(single->group, IsEmpty());
  std::string members;
  for (const std::uint32_t id : {5U, 6U}) {
    nexthop_grp member{};
    member.id = id;
    members += bytes_of(member);
  }
  const auto group = decode_next_hop(next_hop({{NHA_ID, number(9)}, {NHA_GROUP, members + "cut"}}));
  EXPECT_THAT(group->group, ElementsAre(5U, 6U));
  EXPECT_FALSE(decode_next_hop(next_hop({{NHA_OIF, number(3)}})));
  EXPECT_FALSE(decode_next_hop("short"));
}

TEST(ResolveNextHops, SetsOnlyMissingOutputs) {
  std::vector<Route> routes(4);
  for (auto& route : routes) route.destination = "default";
  routes[0].next_hop_id = 5;
  routes[1].next_hop_id = 9;
  routes[2].next_hop_id = 7;  // unknown
  routes[3].next_hop_id = 5;
  routes[3].outputs = {8};
  resolve_next_hops(routes, {{5, 3, {}}, {6, 4, {}}, {9, 0, {5, 6, 7}}});
  EXPECT_THAT(routes[0].outputs, ElementsAre(3));
  EXPECT_THAT(routes[1].outputs, ElementsAre(3, 4));
  EXPECT_THAT(routes[2].outputs, IsEmpty());
  EXPECT_THAT(routes[3].outputs, ElementsAre(8));
}

TEST(RouteMessage, NamesItsNextHopObject) {
  rtmsg head{};
  head.rtm_family = AF_INET;
  head.rtm_type = RTN_UNICAST;
  std::string body(bytes_of(head));
  append_attribute(body, RTA_NH_ID, number(77));
  EXPECT_EQ(decode_route(body)->next_hop_id, 77U);
  EXPECT_FALSE(is_local_route(body));
  head.rtm_type = RTN_LOCAL;
  EXPECT_TRUE(is_local_route(bytes_of(head)));
  EXPECT_FALSE(is_local_route("x"));
}

std::vector<std::pair<unsigned, std::string>> attributes_of(const std::string& body) {
  std::vector<std::pair<unsigned, std::string>> found;
  auto rest = after(body, sizeof(rtmsg));
  while (const auto attribute = next_attribute(rest)) {
    found.emplace_back(attribute->type, std::string(attribute->data));
  }
  return found;
}

TEST(RouteQueryRequest, ContainsWhatIsKnownOfTheConnection) {
  const auto whole = encode_route_query({.destination = "10.1.0.9",
                                         .source = "10.0.0.4",
                                         .mark = 7,
                                         .bound_to = 3,
                                         .source_port = 22,
                                         .destination_port = 4711});
  ASSERT_TRUE(whole);
  const auto head = leading<rtmsg>(*whole);
  EXPECT_EQ(head->rtm_family, AF_INET);
  EXPECT_EQ(head->rtm_dst_len, 32);
  EXPECT_EQ(head->rtm_src_len, 32);
  EXPECT_EQ(head->rtm_flags, unsigned{RTM_F_FIB_MATCH});
  EXPECT_THAT(attributes_of(*whole),
              ElementsAre(Pair(RTA_DST, std::string("\x0a\x01\x00\x09", 4)),
                          Pair(RTA_SRC, std::string("\x0a\x00\x00\x04", 4)),
                          Pair(RTA_MARK, number(7)),
                          Pair(RTA_OIF, number(3)),
                          Pair(RTA_IP_PROTO, std::string("\x06")),
                          Pair(RTA_SPORT, std::string("\x00\x16", 2)),
                          Pair(RTA_DPORT, std::string("\x12\x67", 2))));
  const auto six = encode_route_query({.destination = "fd00::9", .source_port = 22});
  EXPECT_EQ(leading<rtmsg>(*six)->rtm_dst_len, 128);
  EXPECT_EQ(leading<rtmsg>(*six)->rtm_src_len, 0);
  EXPECT_EQ(attributes_of(*six).size(), 1U);
  EXPECT_EQ(encode_route_query({.destination = "UNKNOWN"}).error().code, Errc::invalid);
}

TEST(SocketMessage, HasItsMarkAndInterface) {
  inet_diag_msg reply{};
  reply.idiag_family = AF_INET;
  reply.idiag_state = TCP_ESTABLISHED;
  reply.id.idiag_if = 6;
  std::string body(bytes_of(reply));
  append_attribute(body, INET_DIAG_MARK, number(9));
  EXPECT_EQ(decode_tcp(body)->bound_to, 6);
  EXPECT_EQ(decode_tcp(body)->mark, 9U);
}

std::string link_of(const std::string& kind, unsigned type) {
  std::string data, info;
  append_attribute(data, type + 1, number(8));
  append_attribute(data, type, number(4));
  append_attribute(info, IFLA_INFO_KIND, kind + '\0');
  append_attribute(info, IFLA_INFO_DATA, data);
  ifinfomsg head{};
  head.ifi_index = 9;
  std::string body(bytes_of(head));
  append_attribute(body, IFLA_IFNAME, "t0\0"sv);
  append_attribute(body, IFLA_LINKINFO, info);
  return body;
}

TEST(LinkMessage, NamesTheInterfaceThroughWhichATunnelSends) {
  for (const auto& [kind, type] :
       std::vector<std::pair<std::string, unsigned>>{{"vxlan", IFLA_VXLAN_LINK},
                                                     {"gretap", IFLA_GRE_LINK},
                                                     {"ip6gre", IFLA_GRE_LINK},
                                                     {"sit", IFLA_IPTUN_LINK},
                                                     {"ipip", IFLA_IPTUN_LINK},
                                                     {"vti", IFLA_VTI_LINK},
                                                     {"xfrm", IFLA_XFRM_LINK}}) {
    EXPECT_EQ(decode_link(link_of(kind, type))->lower, 4) << kind;
    EXPECT_FALSE(decode_link(link_of("dummy", type))->lower) << kind;
  }
  auto other = link_of("vxlan", IFLA_VXLAN_LINK);
  append_attribute(other, IFLA_LINK, number(5));
  EXPECT_EQ(decode_link(other)->lower, 5);
}

TEST(LinkMessage, KeepsTheLowerInterfaceOfAnotherNamespace) {
  auto body = link_of("vxlan", IFLA_VXLAN_LINK);
  append_attribute(body, IFLA_LINK_NETNSID, number(2));
  const auto link = decode_link(body);
  EXPECT_FALSE(link->lower);
  ASSERT_TRUE(link->foreign_lower);
  EXPECT_EQ(link->foreign_lower->index, 4);
  EXPECT_EQ(link->foreign_lower->nsid, 2);
}

TEST(NsidMessage, MayBeUnassigned) {
  std::string body(bytes_of(rtgenmsg{}));
  body.resize(netlink_aligned(body.size()));
  EXPECT_FALSE(decode_nsid(body));
  append_attribute(body, NETNSA_NSID, bytes_of(std::int32_t{-1}));
  EXPECT_EQ(decode_nsid(body), -1);
}

TEST(FindNetworkNamespaces, ReadsProcessesThreadsDescriptorsAndMounts) {
  MemoryFiles files;
  files.add_link("proc/self/ns/net", "net:[1]");
  files.add_link("proc/7/ns/net", "net:[1]");
  files.add_file("proc/7/comm", "web\n");
  files.add_link("proc/7/task/8/ns/net", "net:[2]");
  files.add_link("proc/7/fd/3", "net:[3]");
  files.add_link("proc/7/fd/4", "socket:[9]");
  files.add_link("proc/9/ns/net", "net:[2]");
  files.add_file("proc/self/mountinfo",
                 "1 2 0:4 / /proc rw - proc proc rw\n"
                 "3 2 0:4 net:[4] /run/netns/blue rw - nsfs nsfs rw\n");
  const auto found = find_network_namespaces(files);
  std::vector<std::string> texts;
  for (const auto& [inode, file] : found.others) {
    texts.push_back(fmt::format("{} {}: {}", inode, file.path, file.where));
  }
  EXPECT_THAT(texts,
              ElementsAre("2 proc/7/task/8/ns/net: network namespace of process 7 (web)",
                          "3 proc/7/fd/3: network namespace of process 7 (web)",
                          "4 run/netns/blue: network namespace /run/netns/blue"));
  EXPECT_EQ(found.unreadable, 0U);
}

}  // namespace
}  // namespace manactl::os::next_hops_test
