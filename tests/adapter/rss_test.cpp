// SPDX-License-Identifier: MIT

#include "adapter/rss.h"

#include <gtest/gtest.h>

#include "adapter/driver.h"

namespace manactl::adapter {
namespace {

// The verification suite that the vendors of RSS publish: this key, these addresses and ports.
constexpr HashKey kKey{0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
                       0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
                       0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
                       0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa};

TEST(Toeplitz, AgreesWithThePublishedValues) {
  const Toeplitz toeplitz(kKey);
  // 66.9.149.187:2794 to 161.142.100.80:1766
  const Buffer with_ports{
      66, 9, 149, 187, 161, 142, 100, 80, 2794 >> 8, 2794 & 255, 1766 >> 8, 1766 & 255};
  EXPECT_EQ(toeplitz.hash(with_ports), 0x51ccc178U);
  EXPECT_EQ(toeplitz.hash(std::span(with_ports).first(8)), 0x323e8fc2U);
}

TEST(Rss, HashesPortsOnlyWhereTheyAreAskedFor) {
  const Rss with(kKey, {}, {1});
  const Rss without(kKey, {true, true, false, false}, {1});
  const auto one = udp_frame(1000), other = udp_frame(1001);
  EXPECT_NE(with.hash(one, inspect(one)).value, with.hash(other, inspect(other)).value);
  EXPECT_EQ(without.hash(one, inspect(one)).value, without.hash(other, inspect(other)).value);
  EXPECT_EQ(with.hash(one, inspect(one)).type, 4U);
  EXPECT_EQ(without.hash(one, inspect(one)).type, 1U);
}

TEST(Rss, DoesNotHashWhatItDoesNotKnow) {
  const Rss rss(kKey, {}, {1});
  auto frame = udp_frame();
  frame[12] = 0x88;
  EXPECT_EQ(rss.hash(frame, inspect(frame)).type, 0U);
  EXPECT_EQ(rss.hash(frame, inspect(frame)).value, 0U);
}

TEST(Rss, RepeatsItsTableTo64Entries) {
  const Rss rss(kKey, {}, {10, 11, 12, 13});
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

TEST(Packet, IsSafeForEveryLengthOfAFrame) {
  const auto whole = udp_frame();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const Buffer cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    const auto packet = inspect(cut);
    EXPECT_LE(packet.l4_offset + packet.l4_bytes, std::max<std::size_t>(size, 34));
    EXPECT_EQ(packet.l4 == Layer4::udp, size >= 42);
  }
}

}  // namespace
}  // namespace manactl::adapter
