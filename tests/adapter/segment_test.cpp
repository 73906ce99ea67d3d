// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <algorithm>

#include "adapter/net/offload.h"
#include "adapter/tcp_frame.h"

namespace manactl::adapter::segment_test {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::uint32_t big(const Bytes& frame, std::size_t at, std::size_t size) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = (value << 8U) | frame[at + i];
  return value;
}

// With a valid checksum, the ones' complement sum is 0xffff.
std::uint32_t sum(const Bytes& frame, std::size_t from, std::size_t to, std::uint32_t start = 0) {
  std::uint64_t total = start;
  for (std::size_t i = from; i < to; i += 2) {
    total += std::uint32_t{frame[i]} << 8U;
    if (i + 1 < to) total += frame[i + 1];
  }
  while (total > 0xffff) total = (total & 0xffffU) + (total >> 16U);
  return static_cast<std::uint32_t>(total);
}

class Segment : public testing::TestWithParam<bool> {};

TEST_P(Segment, SplitsThePayloadAndUpdatesEveryHeader) {
  const bool v6 = GetParam();
  const std::size_t tcp = v6 ? 54 : 34, header = tcp + 20;
  const auto frame = tcp_frame(v6, 2500);
  const auto segments = segment(frame, header, 1000);
  ASSERT_EQ(segments.size(), 3U);
  Bytes payload;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto& one = segments[i];
    EXPECT_EQ(big(one, tcp + 4, 4), 0xffffffffU + static_cast<std::uint32_t>(i * 1000));
    EXPECT_EQ(one[tcp + 13], i == 2 ? 0x19 : 0x10);
    EXPECT_EQ(big(one, v6 ? 18 : 16, 2), one.size() - (v6 ? tcp : 14));
    const auto tcp_bytes = static_cast<std::uint32_t>(one.size() - tcp);
    EXPECT_EQ(sum(one, tcp, one.size(), sum(one, v6 ? 22 : 26, tcp, 6 + tcp_bytes)), 0xffffU);
    if (!v6) {
      EXPECT_EQ(sum(one, 14, 34), 0xffffU);
      EXPECT_EQ(big(one, 18, 2), i);
    }
    payload.insert(payload.end(), one.begin() + static_cast<std::ptrdiff_t>(header), one.end());
  }
  EXPECT_TRUE(std::equal(payload.begin(), payload.end(), frame.end() - 2500, frame.end()));
}

TEST_P(Segment, RejectsInvalidHeaders) {
  const auto frame = tcp_frame(GetParam(), 100);
  const std::size_t header = GetParam() ? 74 : 54;
  EXPECT_TRUE(segment(frame, header - 1, 10).empty());
  EXPECT_TRUE(segment(frame, frame.size() + 1, 10).empty());
  EXPECT_TRUE(segment(frame, header, 0).empty());
  auto udp = frame;
  udp[GetParam() ? 20 : 23] = 17;
  EXPECT_TRUE(segment(udp, header, 10).empty());
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const Bytes cut(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(segment(cut, header, 10).empty(), size <= header);
  }
}

INSTANTIATE_TEST_SUITE_P(BothFamilies, Segment, testing::Bool());

}  // namespace
}  // namespace manactl::adapter::segment_test
