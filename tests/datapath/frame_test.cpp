// SPDX-License-Identifier: MIT
#include "datapath/traffic/frame.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "datapath/decode.h"

namespace manactl::datapath::frame_test {
namespace {

Flow flow() {
  Flow flow;
  flow.source = MacAddress{{0x00, 0x22, 0x48, 0x01, 0x02, 0x03}};
  return flow;
}

class FrameOfSize : public testing::TestWithParam<std::size_t> {};

TEST_P(FrameOfSize, IsUdpOverIpWithValidLengthsAndChecksums) {
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
  EXPECT_TRUE(packet->ip_checksum_valid);
  EXPECT_TRUE(packet->udp_checksum_valid);
  EXPECT_TRUE(
      std::all_of(frame.begin() + kHeaderBytes, frame.end(), [](auto b) { return b == 0; }));
}

INSTANTIATE_TEST_SUITE_P(Sizes, FrameOfSize, testing::Values(60, 61, 1514, 9014));

TEST(Frame, HasInvalidChecksumsAfterAByteChanged) {
  std::vector<std::uint8_t> frame(60);
  write_frame(flow(), frame);
  frame[30] ^= 1;  // the destination address, which both checksums cover
  const auto packet = decode(frame);
  ASSERT_TRUE(packet.has_value());
  EXPECT_FALSE(packet->ip_checksum_valid);
  EXPECT_FALSE(packet->udp_checksum_valid);
}

// Of all source ports, one gives the sum 0, which would mean that there is no checksum.
TEST(Frame, HasAUdpChecksumForEveryPort) {
  std::vector<std::uint8_t> frame(60);
  unsigned all_ones = 0;
  for (unsigned port = 0; port <= 65535; ++port) {
    auto changed = flow();
    changed.source_port = static_cast<std::uint16_t>(port);
    write_frame(changed, frame);
    const unsigned checksum = frame[kUdpChecksumAt] * 256U + frame[kUdpChecksumAt + 1];
    ASSERT_NE(checksum, 0U) << port;
    if (checksum != 0xffff) continue;
    ++all_ones;
    EXPECT_TRUE(decode(frame)->udp_checksum_valid) << port;
  }
  EXPECT_GE(all_ones, 1U);
}

TEST(InternetChecksum, MatchesTheExampleOfRfc1071) {
  const std::vector<std::uint8_t> bytes = {0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7};
  EXPECT_EQ(internet_checksum(bytes), 0xffff - 0xddf2);
}

TEST(InternetChecksum, PadsAnOddByteWithZero) {
  const std::vector<std::uint8_t> odd = {0x12, 0x34, 0x56};
  const std::vector<std::uint8_t> even = {0x12, 0x34, 0x56, 0x00};
  EXPECT_EQ(internet_checksum(odd), internet_checksum(even));
}

// Changes size and source port of a complete frame, as a sender does for every packet.
void reshape(std::vector<std::uint8_t>& frame, const Shape& shape, std::uint16_t port) {
  const auto put = [&](std::size_t at, std::uint16_t value) {
    std::memcpy(frame.data() + at, &value, sizeof value);
  };
  const auto big_endian = static_cast<std::uint16_t>(port << 8U | port >> 8U);
  put(kIpLengthAt, shape.ip_length);
  put(kIpChecksumAt, shape.ip_checksum);
  put(kUdpLengthAt, shape.udp_length);
  put(kSourcePortAt, big_endian);
  put(kUdpChecksumAt, udp_checksum(shape.udp_sum, big_endian));
  frame.resize(shape.bytes);
}

TEST(Shape, GivesTheSameFrameAsWritingIt) {
  for (const std::size_t bytes : {60U, 61U, 566U, 1514U}) {
    const auto shape = shape_of(flow(), bytes);
    for (unsigned port = 1; port <= 65535; port += 257) {
      std::vector<std::uint8_t> changed(9014), written(bytes);
      write_frame(flow(), changed);
      reshape(changed, shape, static_cast<std::uint16_t>(port));
      auto other = flow();
      other.source_port = static_cast<std::uint16_t>(port);
      write_frame(other, written);
      ASSERT_EQ(changed, written) << bytes << " bytes, port " << port;
    }
  }
}

TEST(UdpChecksum, IsNeverZero) {
  for (unsigned port = 0; port <= 65535; ++port) {
    ASSERT_NE(udp_checksum(0x1234, static_cast<std::uint16_t>(port)), 0U) << port;
  }
  EXPECT_EQ(udp_checksum(0x1234, 0xffff - 0x1234), 0xffffU);
}

}  // namespace
}  // namespace manactl::datapath::frame_test
