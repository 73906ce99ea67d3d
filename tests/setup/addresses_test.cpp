// SPDX-License-Identifier: MIT

#include "setup/addresses.h"

#include <gtest/gtest.h>

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
                  a.preferred);
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
                  r.ipv6);
}

os::Address full_address() {
  os::Address address{7, "10.0.1.4", 24, 253, 128};
  address.peer = "10.0.1.9";
  address.broadcast = "10.0.1.255";
  address.label = "eth1:a";
  address.valid = 600;
  address.preferred = 0;
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
  return route;
}

TEST(AddressText, HasEveryField) {
  EXPECT_EQ(text_of(full_address()),
            "10.0.1.4/24 peer 10.0.1.9 broadcast 10.0.1.255 scope 253 flags 128 label eth1:a "
            "valid_lft 600 preferred_lft 0");
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
            "nexthop onlink");
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
                           "inet default other 1 proto 0"}) {
    const auto parsed = route_of(text, 7);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Errc::invalid);
    EXPECT_EQ(parsed.error().message, fmt::format("cannot parse '{}' from the journal", text));
  }
}

}  // namespace
}  // namespace manactl::setup::addresses_test
