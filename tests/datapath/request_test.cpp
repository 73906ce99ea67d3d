// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "datapath/decode.h"
#include "datapath/traffic/frame.h"
#include "datapath/traffic/requests.h"

namespace manactl::datapath::request_test {
namespace {

using Payload = std::array<std::uint8_t, kRequestBytes>;

constexpr std::uint64_t kSecond = 1'000'000'000;

std::vector<Request> requests() {
  return {{}, {1, 2, 3, 4}, {0xffff, 0xffff, 0xffff'ffff, ~std::uint64_t{0}}, {0, 63, 7, kSecond}};
}

TEST(Request, IsReadAsWritten) {
  for (const auto& request : requests()) {
    Payload payload{};
    write_request(request, payload);
    const auto read = read_request(payload);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, request);
  }
}

TEST(Request, IsNotReadFromOtherPayloads) {
  EXPECT_FALSE(read_request({}));
  EXPECT_FALSE(read_request(Payload{}));
  Payload payload{};
  write_request({1, 2, 3, 4}, payload);
  EXPECT_FALSE(read_request(std::span(payload).first(kRequestBytes - 1)));
  for (std::size_t byte = 0; byte < payload.size(); ++byte) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      auto damaged = payload;
      damaged[byte] = static_cast<std::uint8_t>(damaged[byte] ^ (1U << bit));
      EXPECT_FALSE(read_request(damaged)) << byte;
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 10'000; ++i) {
    for (auto& byte : payload) byte = static_cast<std::uint8_t>(random());
    EXPECT_FALSE(read_request(payload));
  }
}

// The frame's checksum is computed for a payload of zeros, before a request is written into it.
TEST(Request, KeepsTheChecksumOfItsFrameValid) {
  for (const auto& request : requests()) {
    for (const std::size_t size : {std::size_t{kMinRequestFrame}, std::size_t{1518}}) {
      std::vector<std::uint8_t> frame(size - kFcsBytes);
      write_frame({}, frame);
      write_request(request, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
      const auto packet = decode(frame);
      ASSERT_TRUE(packet.has_value());
      EXPECT_TRUE(packet->udp_checksum_valid);
    }
  }
}

// The run and the lane of a frame may be anything, because other hosts can send to the NIC.
TEST(Requests, TakeOnlyRepliesOfTheirRunAndLanes) {
  Requests requests(4);
  requests.next.run = 7;
  requests.windows = {&requests.window};
  requests.orders.resize(1);
  std::vector<std::uint8_t> frame(kMinRequestFrame - kFcsBytes);
  write_frame({}, frame);
  const auto takes = [&](const Request& request) {
    write_request(request, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
    std::uint64_t now = 100;
    return requests.take(frame, now);
  };
  EXPECT_TRUE(takes({7, 0, 0, 40}));
  EXPECT_FALSE(takes({7, 1, 0, 40}));
  EXPECT_FALSE(takes({8, 0, 1, 40}));
  EXPECT_EQ(requests.replies.unrelated, 2U);
}

TEST(Request, ReturnsToItsSenderAfterReversing) {
  Flow flow;
  flow.source = {{2, 0, 0, 0, 0, 1}};
  std::vector<std::uint8_t> frame(kMinRequestFrame - kFcsBytes);
  write_frame(flow, frame);
  EXPECT_FALSE(request_in(frame));
  write_request({1, 2, 3, 4}, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
  const auto before = frame;
  reverse_direction(frame);
  const auto packet = decode(frame);
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->source, flow.destination);
  EXPECT_EQ(packet->destination, flow.source);
  EXPECT_EQ(packet->source_port, flow.destination_port);
  EXPECT_EQ(packet->destination_port, flow.source_port);
  EXPECT_TRUE(packet->ip_checksum_valid);
  EXPECT_TRUE(packet->udp_checksum_valid);
  ASSERT_TRUE(request_in(frame));
  EXPECT_EQ(request_in(frame)->number, 3U);
  EXPECT_FALSE(request_in(std::span(frame).first(frame.size() - 1)));
  reverse_direction(frame);
  EXPECT_EQ(frame, before);
}

TEST(Window, LimitsRequestsInFlight) {
  Window window(8);
  EXPECT_EQ(window.available(0), 8U);
  window.sent(5);
  EXPECT_EQ(window.available(1), 3U);
  window.sent(3);
  EXPECT_EQ(window.available(2), 0U);
  EXPECT_FALSE(window.idle(2));
  window.replied(6);
  EXPECT_EQ(window.available(3), 6U);
  window.replied(2);
  EXPECT_TRUE(window.idle(4));
}

TEST(Window, CountsRequestsAsLostAfterTheTimeout) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(Window::kTimeout), 0U);
  window.replied(1);
  EXPECT_EQ(window.available(Window::kTimeout + 1), 1U);  // a reply restarts the common timeout
  EXPECT_EQ(window.available(2 * Window::kTimeout + 1), 1U);
  EXPECT_EQ(window.available(2 * Window::kTimeout + 2), 4U);
  EXPECT_TRUE(window.idle(2 * Window::kTimeout + 3));
}

TEST(Window, CountsRepliesAfterTheTimeout) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(Window::kTimeout + 1), 4U);
  window.sent(1);
  window.replied(4);  // one may answer the new request; the others answer lost ones
  EXPECT_EQ(window.available(Window::kTimeout + 2), 4U);
  window.sent(2);
  EXPECT_EQ(window.available(Window::kTimeout + 3), 2U);
}

// The timeout does not include the pause before the first request.
TEST(Window, StartsItsTimeoutWithTheFirstRequest) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  EXPECT_EQ(window.available(kSecond / 2), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(kSecond / 2 + Window::kTimeout), 0U);
}

TEST(Window, IsEmptyAfterClear) {
  Window window(4);
  window.sent(3);
  window.replied(1);
  window.clear();
  EXPECT_EQ(window.available(1), 4U);
}

TEST(ReplyOrder, DetectsOvertakenReplies) {
  ReplyOrder order;
  EXPECT_TRUE(order.in_order(10));
  EXPECT_TRUE(order.in_order(11));
  EXPECT_TRUE(order.in_order(14));
  EXPECT_FALSE(order.in_order(12));
  EXPECT_FALSE(order.in_order(13));
  EXPECT_FALSE(order.in_order(14));  // a duplicate
  EXPECT_TRUE(order.in_order(15));
}

TEST(ReplyOrder, ContinuesWhenNumbersWrapAround) {
  ReplyOrder order;
  EXPECT_TRUE(order.in_order(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_TRUE(order.in_order(0));
  EXPECT_FALSE(order.in_order(std::numeric_limits<std::uint32_t>::max()));
  order.clear();
  EXPECT_TRUE(order.in_order(5));
}

}  // namespace
}  // namespace manactl::datapath::request_test
