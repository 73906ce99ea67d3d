// SPDX-License-Identifier: MIT

#include "adapter/net/rss.h"

#include <gtest/gtest.h>

#include "adapter/driver.h"

namespace manactl::adapter::rss_test {
namespace {

// The key of Microsoft's RSS verification suite.
constexpr HashKey kKey{0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                       0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                       0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                       0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

TEST(Rss, HashesAddressesAndPortsInTheOrderOfThePacket) {
  const auto frame = udp_frame(1000);
  const auto input = std::span(frame).subspan(14 + 12, 8 + 4);  // addresses (8 bytes), ports (4)
  EXPECT_EQ(Rss(kKey, {1}).hash(frame, inspect(frame)).value, wire::toeplitz(kKey, input));
}

TEST(Rss, HashesThePortsOfWholePacketsOnly) {
  const Rss rss(kKey, {1});
  auto one = udp_frame(1000), other = udp_frame(1001);
  EXPECT_NE(rss.hash(one, inspect(one)).value, rss.hash(other, inspect(other)).value);
  EXPECT_EQ(rss.hash(one, inspect(one)).type, 4U);
  for (auto* frame : {&one, &other}) (*frame)[20] |= 0x20;  // more fragments follow
  EXPECT_EQ(rss.hash(one, inspect(one)).value, rss.hash(other, inspect(other)).value);
  EXPECT_EQ(rss.hash(one, inspect(one)).type, 1U);
}

TEST(Rss, DoesNotHashUnknownProtocols) {
  const Rss rss(kKey, {1});
  auto frame = udp_frame();
  frame[12] = 0x88;
  EXPECT_EQ(rss.hash(frame, inspect(frame)).type, 0U);
  EXPECT_EQ(rss.hash(frame, inspect(frame)).value, 0U);
}

TEST(Rss, RepeatsItsTableTo64Entries) {
  const Rss rss(kKey, {10, 11, 12, 13});
  EXPECT_EQ(rss.queue(0), 10U);
  EXPECT_EQ(rss.queue(63), 13U);
  EXPECT_EQ(rss.queue(64), 10U);
  EXPECT_EQ(rss.queue(0xffffffffU), 13U);
}

TEST(Packet, FindsTheLayersOfAFrame) {
  const auto frame = udp_frame();
  const auto packet = inspect(frame);
  EXPECT_EQ(packet.l3, Layer3::ipv4);
  EXPECT_EQ(packet.l4, Layer4::udp);
  EXPECT_EQ(packet.l4_offset, 34U);
  EXPECT_EQ(packet.l4_bytes, 26U);
}

TEST(Packet, HandlesFramesOfEveryLength) {
  const auto frame = udp_frame();
  for (std::size_t size = 0; size <= frame.size(); ++size) {
    const Buffer cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    const auto packet = inspect(cut);
    EXPECT_LE(packet.l4_offset + packet.l4_bytes, std::max<std::size_t>(size, 34));
    EXPECT_EQ(packet.l4 == Layer4::udp, size >= 42);
  }
}

}  // namespace
}  // namespace manactl::adapter::rss_test
