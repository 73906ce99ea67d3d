// SPDX-License-Identifier: MIT

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <latch>
#include <limits>
#include <random>
#include <thread>
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

// Two lanes that have sent some requests of run 7.
class Lanes {
 public:
  Lanes() {
    link_lanes({&first_, &second_});
    begin_requests({&first_, &second_}, 7);
    std::vector<Payload> payloads(4);
    for (auto* lane : {&first_, &second_}) {
      lane->write(4, [&](unsigned i) { return payloads[i].data(); });
      lane->sent(4);
    }
  }

  // Whether the first lane accepts the frame as a reply.
  bool takes(const Request& request) {
    std::vector<std::uint8_t> frame(kMinRequestFrame - kFcsBytes);
    write_frame({}, frame);
    write_request(request, RequestBytes(frame.data() + kHeaderBytes, kRequestBytes));
    std::uint64_t now = 100;
    return first_.take(frame, now);
  }

  Requests first_{4}, second_{4};
};

// The run and the lane of a frame may be anything, because other hosts can send to the NIC.
TEST(Requests, TakeOnlyRepliesOfTheirRunAndLanes) {
  Lanes lanes;
  EXPECT_TRUE(lanes.takes({7, 0, 0, 40}));
  EXPECT_TRUE(lanes.takes({7, 1, 0, 40}));
  EXPECT_FALSE(lanes.takes({7, 2, 0, 40}));
  EXPECT_FALSE(lanes.takes({8, 0, 1, 40}));
  EXPECT_EQ(lanes.first_.replies.unrelated, 2U);
}

TEST(Requests, TakeOneReplyToEachRequest) {
  Lanes lanes;
  const auto available = [&] { return lanes.second_.window.available(100); };
  EXPECT_EQ(available(), 0U);
  for (const std::uint32_t number : {2, 0}) {
    EXPECT_TRUE(lanes.takes({7, 1, number, 40}));
    EXPECT_FALSE(lanes.takes({7, 1, number, 40}));
    EXPECT_FALSE(lanes.takes({7, 1, number, 50}));
  }
  EXPECT_FALSE(lanes.takes({7, 1, 4, 40})) << "was not sent";
  EXPECT_EQ(available(), 2U);
  EXPECT_EQ(lanes.first_.latency.count(), 2U);
  EXPECT_EQ(lanes.first_.replies.unrelated, 5U);
  EXPECT_EQ(lanes.first_.replies.reordered, 1U);
  EXPECT_TRUE(lanes.takes({7, 0, 2, 40})) << "same number, other lane";
}

TEST(Requests, TakeTheSameNumbersInTheNextTrial) {
  Lanes lanes;
  EXPECT_TRUE(lanes.takes({7, 0, 1, 40}));
  begin_requests({&lanes.first_, &lanes.second_}, 8);
  EXPECT_FALSE(lanes.takes({8, 0, 1, 40})) << "was not sent yet";
  lanes.first_.answered.issue(2);
  EXPECT_TRUE(lanes.takes({8, 0, 1, 40}));
}

// Numbers around those that were sent, and those of a former or later use of the same bits.
TEST(AnsweredRequests, AreThoseThatWereSentAndNotAnsweredYet) {
  constexpr std::uint32_t kHalf = 1U << 31U, kMax = std::numeric_limits<std::uint32_t>::max();
  AnsweredRequests answered;
  EXPECT_FALSE(answered.add(0)) << "nothing was sent";
  answered.issue(100'000);
  for (const auto number : {100'000U, 200'000U, kHalf - 1, kHalf, kHalf + 100'000, kMax}) {
    EXPECT_FALSE(answered.add(number)) << number;
  }
  for (std::uint32_t number = 0; number < 100'000; number += 3) {
    EXPECT_TRUE(answered.add(number)) << number;
  }
  for (std::uint32_t number = 0; number < 100'000; ++number) {
    const bool replaced = number < 34'464;  // their bits belong to later numbers
    EXPECT_EQ(answered.add(number), !replaced && number % 3 != 0) << number;
    EXPECT_FALSE(answered.add(number)) << number;
  }
  for (const auto number : {100'000U, kHalf, kMax}) EXPECT_FALSE(answered.add(number)) << number;
}

TEST(AnsweredRequests, ContinueWhenNumbersWrapAround) {
  AnsweredRequests answered;
  std::uint32_t number = 0;
  for (unsigned step = 0; step < 50; ++step, number += 1U << 30U) {
    answered.issue(number + 3);
    EXPECT_FALSE(answered.add(number + 3)) << step;
    for (const auto one : {number + 2, number, number + 1}) {
      EXPECT_TRUE(answered.add(one)) << step;
      EXPECT_FALSE(answered.add(one)) << step;
    }
  }
}

TEST(AnsweredRequests, AreCountedOnceByTwoThreads) {
  constexpr std::uint32_t kCount = 1'000'000;
  std::latch both(2);
  AnsweredRequests answered;
  answered.issue(kCount);
  std::array<unsigned, 2> counts{};
  const auto count = [&](unsigned& counted) {
    both.arrive_and_wait();
    for (std::uint32_t number = 0; number < kCount; ++number) {
      if (answered.add(number)) ++counted;
    }
  };
  std::thread first(count, std::ref(counts[0])), second(count, std::ref(counts[1]));
  first.join();
  second.join();
  EXPECT_EQ(counts[0] + counts[1], kCount);
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

constexpr auto kSlow = Window::kMaxTimeout;  // a latency that implies the longest timeout

TEST(Window, LimitsRequestsInFlight) {
  Window window(8);
  EXPECT_EQ(window.available(0), 8U);
  window.sent(5);
  EXPECT_EQ(window.available(1), 3U);
  window.sent(3);
  EXPECT_EQ(window.available(2), 0U);
  EXPECT_FALSE(window.idle(2));
  window.replied(6, kSlow);
  EXPECT_EQ(window.available(3), 6U);
  window.replied(2, kSlow);
  EXPECT_TRUE(window.idle(4));
}

TEST(Window, CountsRequestsAsLostAfterTheTimeout) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(Window::kMaxTimeout), 0U);
  window.replied(1, kSlow);
  EXPECT_EQ(window.available(Window::kMaxTimeout + 1), 1U);  // a reply restarts the common timeout
  EXPECT_EQ(window.available(2 * Window::kMaxTimeout + 1), 1U);
  EXPECT_EQ(window.available(2 * Window::kMaxTimeout + 2), 4U);
  EXPECT_TRUE(window.idle(2 * Window::kMaxTimeout + 3));
}

TEST(Window, CountsRepliesAfterTheTimeout) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(Window::kMaxTimeout + 1), 4U);
  window.sent(1);
  window.replied(4, kSlow);  // one may answer the new request; the others answer lost ones
  EXPECT_EQ(window.available(Window::kMaxTimeout + 2), 4U);
  window.sent(2);
  EXPECT_EQ(window.available(Window::kMaxTimeout + 3), 2U);
}

TEST(Window, HasATimeoutOfSeveralLatencies) {
  for (const auto& [latency, timeout] : {std::pair<std::uint64_t, std::uint64_t>{5'000, 1'000'000},
                                         {100'000, 1'600'000},
                                         {10'000'000, 160'000'000},
                                         {2 * kSecond, kSecond},
                                         {~std::uint64_t{0}, kSecond}}) {
    Window window(4);
    window.sent(4);
    window.replied(1, latency);
    EXPECT_EQ(window.available(0), 1U);
    EXPECT_EQ(window.available(timeout), 1U) << latency;
    EXPECT_EQ(window.available(timeout + 1), 4U) << latency;
    window.clear();
    window.sent(4);
    EXPECT_EQ(window.available(2'000'000), 0U) << "no reply yet";
  }
}

TEST(Window, ForgetsALongLatency) {
  Window window(1000);
  window.sent(1000);
  window.replied(1, 10'000'000);
  for (int i = 0; i < 500; ++i) window.replied(1, 1000);
  EXPECT_EQ(window.available(0), 501U);
  EXPECT_EQ(window.available(Window::kMinTimeout), 501U);
  EXPECT_EQ(window.available(Window::kMinTimeout + 1), 1000U);
}

TEST(Window, DoublesItsTimeoutUntilAReplyArrives) {
  Window window(4);
  window.sent(1);
  window.replied(1, 1000);
  EXPECT_EQ(window.available(0), 4U);
  std::uint64_t now = 0;
  for (std::uint64_t timeout = Window::kMinTimeout; timeout < 64 * Window::kMaxTimeout;
       timeout *= 2) {
    window.sent(4);
    now += std::min(timeout, Window::kMaxTimeout);
    EXPECT_EQ(window.available(now), 0U) << timeout;
    EXPECT_EQ(window.available(++now), 4U) << timeout;
  }
  window.sent(4);
  window.replied(1, 1000);
  EXPECT_EQ(window.available(++now), 1U);
  EXPECT_EQ(window.available(now + Window::kMinTimeout + 1), 4U);
}

// The timeout does not include the pause before the first request.
TEST(Window, StartsItsTimeoutWithTheFirstRequest) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  EXPECT_EQ(window.available(kSecond / 2), 4U);
  window.sent(4);
  EXPECT_EQ(window.available(kSecond / 2 + Window::kMaxTimeout), 0U);
}

TEST(Window, CanForgetRequestsThatAreLost) {
  Window window(4);
  EXPECT_EQ(window.available(0), 4U);
  window.sent(4);
  window.replied(1, kSlow);
  EXPECT_EQ(window.available(1), 1U);
  window.forget();
  EXPECT_EQ(window.available(2), 4U);
  window.sent(4);
  window.replied(1, kSlow);  // of the new requests, or a late one
  EXPECT_EQ(window.available(3), 1U);
}

TEST(Window, IsEmptyAfterClear) {
  Window window(4);
  window.sent(3);
  window.replied(1, kSlow);
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
