// SPDX-License-Identifier: MIT
//
// Every field of requests that add or remove addresses and routes, and of sock_diag messages.

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <linux/if_addr.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>

#include "os/attributes.h"
#include "os/memory_files.h"
#include "os/netlink_messages.h"

namespace manactl::os::route_requests_test {
namespace {

using namespace std::string_literals;

std::string hex(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// The attributes as "type=hexadecimal data".
std::string attributes_of(std::string_view rest) {
  std::string text;
  while (const auto attribute = next_attribute(rest)) {
    text += fmt::format(" {}={}", attribute->type, hex(attribute->data));
  }
  return rest.empty() ? text : text + " ?";
}

std::string text_of_address(const Address& address) {
  const auto body = encode_address(address);
  if (!body) return body.error().message;
  const auto head = leading<ifaddrmsg>(*body).value();
  return fmt::format("{} {}/{} scope {} flags {:x}{}",
                     head.ifa_family,
                     head.ifa_index,
                     head.ifa_prefixlen,
                     head.ifa_scope,
                     head.ifa_flags,
                     attributes_of(after(*body, sizeof(head))));
}

std::string text_of_route(const Route& route) {
  const auto body = encode_route(route);
  if (!body) return body.error().message;
  const auto head = leading<rtmsg>(*body).value();
  return fmt::format("{} len {} table {} proto {} scope {} type {} flags {:x}{}",
                     head.rtm_family,
                     head.rtm_dst_len,
                     head.rtm_table,
                     head.rtm_protocol,
                     head.rtm_scope,
                     head.rtm_type,
                     head.rtm_flags,
                     attributes_of(after(*body, sizeof(head))));
}

// Attribute types: IFA_ADDRESS 1, IFA_LOCAL 2, IFA_LABEL 3, IFA_BROADCAST 4, IFA_CACHEINFO 6,
// IFA_FLAGS 8.
TEST(AddressRequest, ContainsEveryField) {
  EXPECT_EQ(text_of_address({.index = 3, .text = "10.0.0.4"}),
            "2 3/0 scope 0 flags 0 2=0a000004 1=0a000004 8=00000000");
  EXPECT_EQ(text_of_address({.index = 3,
                             .text = "10.0.0.4",
                             .prefix_length = 31,
                             .scope = 253,
                             .flags = IFA_F_NODAD | IFA_F_NOPREFIXROUTE,
                             .broadcast = "10.0.0.7",
                             .peer = "10.0.0.5",
                             .label = "a",
                             .valid = 2,
                             .preferred = 1}),
            "2 3/31 scope 253 flags 2 2=0a000004 1=0a000005 4=0a000007 3=6100 8=02020000 "
            "6=01000000020000000000000000000000");
  EXPECT_EQ(text_of_address({.index = 3, .text = "fd00::4", .prefix_length = 64}),
            "10 3/64 scope 0 flags 0 2=fd000000000000000000000000000004 "
            "1=fd000000000000000000000000000004 8=00000000");
}

TEST(AddressRequest, OmitsFlagsOfTheKernel) {
  for (const auto flag : std::initializer_list<unsigned>{
           IFA_F_PERMANENT, IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_SECONDARY, IFA_F_DEPRECATED}) {
    EXPECT_EQ(text_of_address({.index = 3, .text = "10.0.0.4", .flags = flag | IFA_F_NODAD}),
              "2 3/0 scope 0 flags 2 2=0a000004 1=0a000004 8=02000000")
        << flag;
  }
}

TEST(AddressRequest, RejectsEachMalformedAddress) {
  EXPECT_EQ(text_of_address({.text = "10.0.0"}), "'10.0.0' is not an address");
  EXPECT_EQ(text_of_address({.text = "10.0.0.4", .broadcast = "fd00::1"}),
            "'fd00::1' is not an address");
  EXPECT_EQ(text_of_address({.text = "fd00::1", .peer = "10.0.0.4"}),
            "'10.0.0.4' is not an address");
}

// Attribute types: RTA_DST 1, RTA_OIF 4, RTA_GATEWAY 5, RTA_PRIORITY 6, RTA_PREFSRC 7, RTA_TABLE
// 15, RTA_VIA 18.
TEST(RouteRequest, ContainsEveryField) {
  EXPECT_EQ(text_of_route({.destination = "default", .gateway = "", .outputs = {3}, .table = 254}),
            "2 len 0 table 254 proto 0 scope 0 type 1 flags 0 4=03000000 15=fe000000");
  EXPECT_EQ(text_of_route({.destination = "10.1.0.0/16",
                           .gateway = "10.0.0.1",
                           .outputs = {3},
                           .table = 1000,
                           .metric = 7,
                           .protocol = 4,
                           .scope = 253,
                           .source = "10.0.0.4",
                           .onlink = true}),
            "2 len 16 table 252 proto 4 scope 253 type 1 flags 4 1=0a010000 5=0a000001 "
            "7=0a000004 4=03000000 15=e8030000 6=07000000");
  EXPECT_EQ(text_of_route({.destination = "fd00::/64",
                           .gateway = "fd00::1",
                           .outputs = {3},
                           .table = 255,
                           .ipv6 = true}),
            "10 len 64 table 255 proto 0 scope 0 type 1 flags 0 "
            "1=fd000000000000000000000000000000 5=fd000000000000000000000000000001 4=03000000 "
            "15=ff000000");
}

TEST(RouteRequest, UsesTheLongTableNumberFrom256) {
  EXPECT_EQ(text_of_route({.destination = "default", .gateway = "", .outputs = {3}, .table = 256}),
            "2 len 0 table 252 proto 0 scope 0 type 1 flags 0 4=03000000 15=00010000");
}

TEST(RouteRequest, NamesTheFamilyOfAGatewayOfTheOtherFamily) {
  EXPECT_EQ(
      text_of_route({.destination = "default", .gateway = "fe80::1", .outputs = {3}, .table = 254}),
      "2 len 0 table 254 proto 0 scope 0 type 1 flags 0 "
      "18=0a00fe800000000000000000000000000001 4=03000000 15=fe000000");
  EXPECT_EQ(
      text_of_route({.destination = "default", .gateway = "fe80:x", .outputs = {3}, .table = 254}),
      "'fe80:x' is not an address");
}

TEST(RouteRequest, HasTheLengthOfAHostWithoutSlash) {
  const auto length = [](const std::string& destination, bool ipv6) {
    const Route route{.destination = destination, .gateway = "", .outputs = {3}, .ipv6 = ipv6};
    const auto body = encode_route(route);
    if (!body) return body.error().message;
    return std::to_string(leading<rtmsg>(*body)->rtm_dst_len);
  };
  EXPECT_EQ(length("10.0.0.4", false), "32");
  EXPECT_EQ(length("fd00::4", true), "128");
  EXPECT_EQ(length("fd00::4/128", true), "128");
  EXPECT_EQ(length("fd00::4/129", true),
            "wrong destination 'fd00::4/129': '129' is larger than 128");
  EXPECT_THAT(length("10.0.0.4/x", false), ::testing::StartsWith("wrong destination"));
}

TEST(RouteRequest, RejectsWhatTheKernelWouldMisinterpret) {
  const Route none{.destination = "default", .gateway = "", .outputs = {}};
  EXPECT_EQ(text_of_route(none), "routes with 0 next hops are not supported");
  EXPECT_EQ(encode_route(none).error().code, Errc::unsupported);
  EXPECT_EQ(text_of_route({.destination = "default", .gateway = "", .outputs = {1, 2}}),
            "routes with 2 next hops are not supported");
  EXPECT_EQ(text_of_route({.destination = "10.0/8", .gateway = "", .outputs = {1}}),
            "'10.0' is not an address");
  EXPECT_EQ(text_of_route({.destination = "default", .gateway = "10", .outputs = {1}}),
            "'10' is not an address");
  EXPECT_EQ(
      text_of_route({.destination = "default", .gateway = "", .outputs = {1}, .source = "fd00::1"}),
      "'fd00::1' is not an address");
}

TEST(Defaults, OfAddressesAndRoutesAreEmpty) {
  const Route route;
  EXPECT_EQ(route.table + route.metric + route.protocol + route.scope, 0U);
  EXPECT_FALSE(route.onlink || route.ipv6);
  const Address address;
  EXPECT_EQ(address.index, 0);
  EXPECT_EQ(address.prefix_length + address.scope + address.flags, 0U);
  const Link link;
  EXPECT_EQ(link.index, 0);
  EXPECT_EQ(link.flags + link.mtu, 0U);
  EXPECT_EQ(link.rx_packets + link.tx_packets, 0U);
  const TcpSocket socket;
  EXPECT_FALSE(socket.listening);
  EXPECT_EQ(socket.local_port + socket.remote_port, 0);
  EXPECT_EQ(socket.inode, 0U);
  const RdmaDevice device;
  EXPECT_EQ(device.index + device.node_type, 0U);
  EXPECT_EQ(UverbsChardev().abi, 0U);
  const RdmaPort port;
  EXPECT_EQ(port.port + port.state, 0U);
}

TEST(Attributes, ArePaddedToFourBytes) {
  for (const auto& [length, padded] : {std::pair{0U, 0U}, {1U, 4U}, {3U, 4U}, {4U, 4U}, {5U, 8U}}) {
    EXPECT_EQ(netlink_aligned(length), padded);
    std::string bytes;
    append_attribute(bytes, 1, std::string(length, 'x'));
    EXPECT_EQ(bytes.size(), 4U + padded);
  }
}

TEST(Attributes, MayBeEmptyAndEndWithoutPadding) {
  std::string bytes;
  append_attribute(bytes, 5, "");
  append_attribute(bytes, 0x3fff, "ab");
  bytes.resize(10);
  std::string_view rest(bytes);
  const auto empty = next_attribute(rest);
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->type, 5U);
  EXPECT_EQ(empty->data, "");
  EXPECT_FALSE(empty->u32());
  const auto last = next_attribute(rest);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->type, 0x3fffU) << "NLA_TYPE_MASK";
  EXPECT_EQ(last->text(), "ab");
  EXPECT_EQ(rest, "");
  EXPECT_FALSE(next_attribute(rest));
}

TEST(Attributes, EndAtAWrongLength) {
  for (const auto length : std::initializer_list<unsigned short>{0, 3, 9}) {
    std::string bytes(bytes_of(AttributeHeader{length, 1}));
    bytes += "four";
    std::string_view rest(bytes);
    EXPECT_FALSE(next_attribute(rest)) << length;
    EXPECT_EQ(rest.size(), 8U);
  }
  const Attribute none;
  EXPECT_EQ(none.type, 0U);
}

}  // namespace
}  // namespace manactl::os::route_requests_test
