// SPDX-License-Identifier: MIT

#include "datapath/request.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <vector>

#include "datapath/decode.h"
#include "datapath/frame.h"

namespace manactl::datapath {
namespace {

using Payload = std::array<std::uint8_t, kRequestBytes>;

constexpr std::uint64_t kSecond = 1'000'000'000;

std::vector<Request> requests() {
  return {{}, {1, 2, 3, 4}, {0xffff, 0xffff, 0xffff'ffff, ~std::uint64_t{0}}, {0, 63, 7, kSecond}};
}

TEST(Request, IsReadAsItWasWritten) {
  for (const auto& request : requests()) {
    Payload payload{};
    write_request(request, payload);
    const auto read = read_request(payload);
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, request);
  }
}

TEST(Request, IsNotReadFromAnythingElse) {
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

// The frame is finished once, with a payload of zeros; a request is put into it afterwards.
TEST(Request, LeavesTheChecksumOfItsFrameRight) {
  for (const auto& request : requests()) {
    for (const std::size_t size : {std::size_t{kLeastRequestFrame}, std::size_t{1518}}) {
      std::vector<std::uint8_t> frame(size - kFcsBytes);
      write_frame({}, frame);
      write_request(request, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
      const auto packet = decode(frame);
      ASSERT_TRUE(packet.has_value());
      EXPECT_TRUE(packet->udp_checksum_right);
    }
  }
}

TEST(Request, ComesBackFromWhereItWent) {
  Flow flow;
  flow.source = {{2, 0, 0, 0, 0, 1}};
  std::vector<std::uint8_t> frame(kLeastRequestFrame - kFcsBytes);
  write_frame(flow, frame);
  EXPECT_FALSE(request_in(frame));
  write_request({1, 2, 3, 4}, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
  const auto before = frame;
  turn_round(frame);
  const auto packet = decode(frame);
  ASSERT_TRUE(packet.has_value());
  EXPECT_EQ(packet->source, flow.destination);
  EXPECT_EQ(packet->destination, flow.source);
  EXPECT_EQ(packet->source_port, flow.destination_port);
  EXPECT_EQ(packet->destination_port, flow.source_port);
  EXPECT_TRUE(packet->ip_checksum_right);
  EXPECT_TRUE(packet->udp_checksum_right);
  ASSERT_TRUE(request_in(frame));
  EXPECT_EQ(request_in(frame)->number, 3U);
  EXPECT_FALSE(request_in(std::span(frame).first(frame.size() - 1)));
  turn_round(frame);
  EXPECT_EQ(frame, before);
}

TEST(Window, LimitsWhatIsOnTheWay) {
  Window window(8);
  EXPECT_EQ(window.room(0), 8U);
  window.sent(5);
  EXPECT_EQ(window.room(1), 3U);
  window.sent(3);
  EXPECT_EQ(window.room(2), 0U);
  EXPECT_FALSE(window.idle(2));
  window.answered(6);
  EXPECT_EQ(window.room(3), 6U);
  window.answered(2);
  EXPECT_TRUE(window.idle(4));
}

TEST(Window, GivesUpWhatStaysUnansweredForLong) {
  Window window(4);
  EXPECT_EQ(window.room(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.room(Window::kPatience), 0U);
  window.answered(1);
  EXPECT_EQ(window.room(Window::kPatience + 1), 1U);  // something still comes: all may
  EXPECT_EQ(window.room(2 * Window::kPatience + 1), 1U);
  EXPECT_EQ(window.room(2 * Window::kPatience + 2), 4U);
  EXPECT_TRUE(window.idle(2 * Window::kPatience + 3));
}

TEST(Window, DoesNotLoseCountOfLateAnswers) {
  Window window(4);
  EXPECT_EQ(window.room(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.room(Window::kPatience + 1), 4U);
  window.sent(1);
  window.answered(4);  // three of them given up, or all
  EXPECT_EQ(window.room(Window::kPatience + 2), 4U);
  window.sent(2);
  EXPECT_EQ(window.room(Window::kPatience + 3), 2U);
}

// A sender that paused has not been waiting for an answer all that time.
TEST(Window, IsPatientFromTheFirstRequestOn) {
  Window window(4);
  EXPECT_EQ(window.room(0), 4U);
  EXPECT_EQ(window.room(kSecond / 2), 4U);
  window.sent(4);
  EXPECT_EQ(window.room(kSecond / 2 + Window::kPatience), 0U);
}

TEST(Window, ForgetsEverythingWhenItIsCleared) {
  Window window(4);
  window.sent(3);
  window.answered(1);
  window.clear();
  EXPECT_EQ(window.room(1), 4U);
}

TEST(Order, CountsWhatWasOvertaken) {
  Order order;
  EXPECT_TRUE(order.in_order(10));
  EXPECT_TRUE(order.in_order(11));
  EXPECT_TRUE(order.in_order(14));
  EXPECT_FALSE(order.in_order(12));
  EXPECT_FALSE(order.in_order(13));
  EXPECT_FALSE(order.in_order(14));  // a copy
  EXPECT_TRUE(order.in_order(15));
}

TEST(Order, GoesOnWhenNumbersWrapAround) {
  Order order;
  EXPECT_TRUE(order.in_order(std::numeric_limits<std::uint32_t>::max()));
  EXPECT_TRUE(order.in_order(0));
  EXPECT_FALSE(order.in_order(std::numeric_limits<std::uint32_t>::max()));
  order.clear();
  EXPECT_TRUE(order.in_order(5));
}

}  // namespace
}  // namespace manactl::datapath
