// SPDX-License-Identifier: MIT
#include "datapath/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "datapath/decode.h"

namespace manactl::datapath {
namespace {

Flow flow() {
  Flow flow;
  flow.source = MacAddress{{0x00, 0x22, 0x48, 0x01, 0x02, 0x03}};
  return flow;
}

class FrameOfSize : public testing::TestWithParam<std::size_t> {};

TEST_P(FrameOfSize, IsUdpOverIpWithRightLengthsAndChecksums) {
  std::vector<std::uint8_t> frame(GetParam(), 0xee);
  write_frame(flow(), frame);
  const auto packet = decode(frame);
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->destination, kAzurePeer);
  EXPECT_EQ(packet->source.str(), "00:22:48:01:02:03");
  EXPECT_EQ(packet->ip_bytes, frame.size() - 14);
  EXPECT_EQ(packet->udp_bytes, frame.size() - 34);
  EXPECT_EQ(packet->source_ip, kSourceIp);
  EXPECT_EQ(packet->destination_ip, kDestinationIp);
  EXPECT_EQ(packet->source_port, kFirstSourcePort);
  EXPECT_EQ(packet->destination_port, kDestinationPort);
  EXPECT_TRUE(packet->ip_checksum_right);
  EXPECT_TRUE(packet->udp_checksum_right);
  EXPECT_TRUE(
      std::all_of(frame.begin() + kHeaderBytes, frame.end(), [](auto b) { return b == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FrameOfSize, testing::Values(60, 61, 1514, 9014));

TEST(Frame, IsSeenAsDamagedWhenAByteChanges) {
  std::vector<std::uint8_t> frame(60);
  write_frame(flow(), frame);
  frame[30] ^= 1;  // in the destination address: part of both checksums
  const auto packet = decode(frame);
  ASSERT_TRUE(packet.has_value());
  EXPECT_FALSE(packet->ip_checksum_right);
  EXPECT_FALSE(packet->udp_checksum_right);
}

TEST(InternetChecksum, IsThatOfTheExampleInRfc1071) {
  const std::vector<std::uint8_t> bytes = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(internet_checksum(bytes), 0xffff - 0xddf2);
}

TEST(InternetChecksum, PadsAnOddByteWithZero) {
  const std::vector<std::uint8_t> odd = {0x12, 0x34, 0x56};
  const std::vector<std::uint8_t> even = {0x12, 0x34, 0x56, 0x00};
  EXPECT_EQ(internet_checksum(odd), internet_checksum(even));
}

}  // namespace
}  // namespace manactl::datapath
