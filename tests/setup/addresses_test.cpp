// SPDX-License-Identifier: MIT

#include "setup/addresses.h"

#include <gtest/gtest.h>
#include <linux/if_addr.h>

#include <tuple>

namespace manactl::setup::addresses_test {
namespace {

auto fields(const os::Address& a) {
  return std::tie(a.index,
                  a.text,
                  a.prefix_length,
                  a.scope,
                  a.flags,
                  a.broadcast,
                  a.peer,
                  a.label,
                  a.valid,
                  a.preferred,
                  a.metric);
}

auto fields(const os::Route& r) {
  return std::tie(r.destination,
                  r.gateway,
                  r.outputs,
                  r.table,
                  r.metric,
                  r.protocol,
                  r.scope,
                  r.source,
                  r.onlink,
                  r.ipv6,
                  r.request);
}

os::Address full_address() {
  os::Address address{7, "10.0.1.4", 24, 253, 128};
  address.peer = "10.0.1.9";
  address.broadcast = "10.0.1.255";
  address.label = "eth1:a";
  address.valid = 600;
  address.preferred = 0;
  address.metric = 300;
  return address;
}

os::Route full_route() {
  os::Route route;
  route.destination = "192.0.2.0/24";
  route.gateway = "10.0.1.1";
  route.outputs = {7};
  route.table = 254;
  route.metric = 50;
  route.protocol = 4;
  route.scope = 253;
  route.source = "10.0.1.4";
  route.onlink = true;
  route.request = std::string("\0\x7f\xff", 3);
  return route;
}

TEST(AddressText, HasEveryField) {
  EXPECT_EQ(text_of(full_address()),
            "10.0.1.4/24 peer 10.0.1.9 broadcast 10.0.1.255 scope 253 flags 128 label eth1:a "
            "valid_lft 600 preferred_lft 0 metric 300");
  EXPECT_EQ(text_of(os::Address{7, "2001:db8::4", 64}), "2001:db8::4/64 scope 0");
}

TEST(AddressText, IsParsedToTheSameAddress) {
  for (const auto& address : {full_address(), os::Address{7, "2001:db8::4", 64}}) {
    const auto parsed = address_of(text_of(address), 7);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(fields(*parsed), fields(address));
  }
}

TEST(AddressText, IsRejectedIfAnyPartIsInvalid) {
  for (const char* text : {"",
                           "10.0.1.4",
                           "10.0.1.4/",
                           "10.0.1.4/x",
                           "10.0.1.4/4294967296",
                           "10.0.1.4/24 scope",
                           "10.0.1.4/24 scope x",
                           "10.0.1.4/24 flags x",
                           "10.0.1.4/24 valid_lft x",
                           "10.0.1.4/24 preferred_lft x",
                           "10.0.1.4/24 metric x",
                           "10.0.1.4/24 other 1",
                           "10.0.1.4/24 other 1 scope 0",
                           "10.0.1.4/24 scope 0 label"}) {
    const auto parsed = address_of(text, 7);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid);
    EXPECT_EQ(parsed.error().message, fmt::format("cannot parse '{}' from the journal", text));
  }
}

TEST(AddressText, OfLinkLocalAddressesBeginsWithFe80) {
  EXPECT_TRUE(is_link_local({7, "fe80::1", 64}));
  EXPECT_FALSE(is_link_local({7, "2001:db8::4", 64}));
}

TEST(RouteText, HasEveryField) {
  EXPECT_EQ(text_of(full_route()),
            "inet 192.0.2.0/24 via 10.0.1.1 proto 4 scope 253 src 10.0.1.4 metric 50 table 254 "
            "nexthop onlink request 007fff");
  os::Route route;
  route.destination = "default";
  route.ipv6 = true;
  EXPECT_EQ(text_of(route), "inet6 default proto 0 scope 0 table 0");
}

TEST(RouteText, IsParsedToTheSameRoute) {
  os::Route ipv6;
  ipv6.destination = "default";
  ipv6.outputs = {7};
  ipv6.ipv6 = true;
  for (const auto& route : {full_route(), ipv6}) {
    const auto parsed = route_of(text_of(route), 7);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(fields(*parsed), fields(route));
  }
  const auto shortest = route_of("inet default", 7);
  ASSERT_TRUE(shortest);
  EXPECT_EQ(shortest->destination, "default");
}

TEST(RouteText, IsRejectedIfAnyPartIsInvalid) {
  for (const char* text : {"",
                           "inet",
                           "inet6",
                           "default via 10.0.1.1",
                           "inet5 default",
                           "inet default via",
                           "inet default proto x",
                           "inet default scope x",
                           "inet default metric x",
                           "inet default table 4294967296",
                           "inet default nexthop other",
                           "inet default other onlink",
                           "inet default request 0",
                           "inet default request 0x",
                           "inet default request 0g",
                           "inet default other 1 proto 0"}) {
    const auto parsed = route_of(text, 7);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid);
    EXPECT_EQ(parsed.error().message, fmt::format("cannot parse '{}' from the journal", text));
  }
}

TEST(NextHopText, IsParsedToTheSameObject) {
  const os::NextHop single{5, 7, {}, "ab"}, group{9, 7, {5, 6}, "c"};
  EXPECT_EQ(text_of(single), "id 5 request 6162");
  EXPECT_EQ(text_of(group), "id 9 group 5/6 request 63");
  for (const auto& hop : {single, group}) {
    const auto parsed = next_hop_of(text_of(hop), 7);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_EQ(std::tie(parsed->id, parsed->output, parsed->group, parsed->request),
              std::tie(hop.id, hop.output, hop.group, hop.request));
  }
  for (const char* text : {"id", "id x", "id 5 group 5/", "id 5 request 6", "id 5 other 6"}) {
    EXPECT_FALSE(next_hop_of(text, 7)) << text;
  }
}

TEST(Arguments, AreThoseOfIp) {
  EXPECT_EQ(address_arguments(text_of(full_address())), "10.0.1.4/24 peer 10.0.1.9 metric 300");
  os::Address address{7, "10.0.1.4", 24};
  address.flags = IFA_F_NOPREFIXROUTE;
  EXPECT_EQ(address_arguments(text_of(address)), "10.0.1.4/24 noprefixroute");
  EXPECT_EQ(route_arguments(text_of(full_route())),
            "192.0.2.0/24 via 10.0.1.1 proto 4 scope 253 src 10.0.1.4 metric 50 table 254 onlink");
}

TEST(RouteText, OmitsDefaultsAndNumbersWithNames) {
  EXPECT_EQ(route_text(text_of(full_route())),
            "192.0.2.0/24 via 10.0.1.1 proto static scope link src 10.0.1.4 metric 50 onlink");
  EXPECT_EQ(route_text("inet6 fe80::/64 proto 2 scope 0 metric 256 table 254"),
            "fe80::/64 proto kernel metric 256");
  EXPECT_EQ(route_text("inet default via 10.0.1.1 proto 99 scope 0 table 7 request 00"),
            "default via 10.0.1.1 proto 99 table 7");
  const std::string several = "default proto 4 devices eth1/eth2";
  EXPECT_EQ(route_text("inet " + several), several);
}

TEST(ConnectedRoute, HasThePrefixAndTheMetricOfTheAddress) {
  os::Route route;
  route.destination = "10.0.1.0/24";
  route.metric = 300;
  os::Address address{7, "10.0.1.4", 24};
  EXPECT_FALSE(is_connected_route(route, address));
  address.metric = 300;
  EXPECT_TRUE(is_connected_route(route, address));
  EXPECT_FALSE(is_connected_route(route, {7, "10.0.2.4", 24}));
  address.flags = IFA_F_NOPREFIXROUTE;
  EXPECT_FALSE(is_connected_route(route, address));
  address.flags = 0;
  address.prefix_length = 25;
  EXPECT_FALSE(is_connected_route(route, address));
  address.prefix_length = 24;
  address.peer = "10.0.3.1";
  EXPECT_FALSE(is_connected_route(route, address));
  route.destination = "10.0.3.0/24";
  EXPECT_TRUE(is_connected_route(route, address));
  route.gateway = "10.0.3.9";
  EXPECT_FALSE(is_connected_route(route, address));
}

TEST(ConnectedRoute, HasTheMetric256WithIpv6) {
  os::Route route;
  route.destination = "2001:db8::/64";
  route.ipv6 = true;
  const os::Address address{7, "2001:db8::4", 64};
  EXPECT_FALSE(is_connected_route(route, address));
  route.metric = 256;
  EXPECT_TRUE(is_connected_route(route, address));
  route.metric = 100;
  EXPECT_FALSE(is_connected_route(route, address));
}

}  // namespace
}  // namespace manactl::setup::addresses_test
