// SPDX-License-Identifier: MIT
//
// The queues of the verbs engine; the software adapter checks the driver's contract.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>

#include "datapath/in_child.h"
#include "datapath/traffic/requests.h"
#include "datapath/verbs/modes.h"
#include "datapath/verbs_simulated_port.h"

namespace manactl::datapath::verbs::verbs_rings_test {
namespace {

using testing::Each;
using testing::IsEmpty;

constexpr std::uint32_t kEntries = 64;
constexpr std::size_t kBuffer = 2048;
constexpr auto kCable = SimulatedPort::Wiring::cable, kLoop = SimulatedPort::Wiring::looped_cable;

Flow flow_with(std::uint16_t port) {
  Flow flow;
  flow.source = {{0, 0x0d, 0x3a, 1, 2, 3}};
  flow.source_port = port;
  return flow;
}

Bytes frame_of(std::size_t bytes, std::uint16_t port) {
  Bytes frame(bytes);
  write_frame(flow_with(port), frame);
  return frame;
}

// A send queue with its packets, and a receive queue with buffers, on one port.
struct Queues {
  explicit Queues(const SimulatedPort& port, Doorbells doorbells = Doorbells::stores)
      : context(port.open(doorbells).value()),
        memory(Region::make(*context, 4 * 256 * kBuffer).value()),
        tx(SendQueue::make(*context, kEntries).value()) {
    lane.tx = &tx.ring();
    lane.burst = 16;
  }

  void add(std::size_t bytes, std::uint16_t port) {
    auto* at = memory.data() + used++ * kBuffer;
    lane.send_pattern.add(*lane.tx, flow_with(port), {at, bytes}, memory.key());
  }

  void receive(std::uint32_t spare = 0) {
    rx.emplace(ReceiveQueues::make(*context, 1, kEntries).value());
    lane.rx = &rx->rings()[0];
    lane.forward_buffers.key = memory.key();
    lane.forward_buffers.sending.resize(lane.tx->slots());
    lane.forward_buffers.free.resize(lane.rx->slots() + spare);
    for (auto& buffer : lane.forward_buffers.free) {
      buffer = reinterpret_cast<std::uintptr_t>(memory.data() + used++ * kBuffer);
    }
    lane.forward_buffers.count = spare;
    for (std::uint32_t i = 0; i < lane.rx->slots(); ++i) {
      lane.rx->at(i) = {kOneSegment,
                        0,
                        lane.forward_buffers.free[spare + i],
                        key_and_size(memory.key(), kBuffer)};
    }
    lane.rx->post(lane.rx->free_entries());
  }

  std::unique_ptr<Context> context;
  Region memory;
  SendQueue tx;
  std::optional<ReceiveQueues> rx;
  Lane lane;
  std::size_t used = 0;
};

// Runs `body` in a child; true if neither it nor its cleanup violates the contract.
bool keeps_the_contract(const std::string& setup,
                        SimulatedPort::Wiring wiring,
                        const std::function<void(SimulatedPort&, Queues&)>& body,
                        Doorbells doorbells = Doorbells::stores) {
  return in_child([&] {
    SimulatedPort port(setup, wiring);
    {
      Queues queues(port, doorbells);
      body(port, queues);
    }
    EXPECT_THAT(port.violations(), IsEmpty());
  });
}

TEST(SendRing, SendsTheFinishedPacketUnchanged) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    queues.add(60, 5000);
    queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(send(queues.lane, 0), 16U);
    queues.lane.tx->reclaim();
    EXPECT_EQ(queues.lane.tx->completed(), 1600U);
    const auto frames = port.cable().take_frames();
    EXPECT_EQ(frames.size(), 1600U);
    EXPECT_THAT(frames, Each(frame_of(60, 5000)));
  }));
}

// A burst requests a completion in its last WQE. Bursts of varying length end in every slot of the
// ring, so a request that an earlier burst left in its slot would add a completion.
TEST(SendRing, RequestsOneCompletionPerBurst) {
  const auto body = [](SimulatedPort& port, Queues& queues) {
    queues.add(60, 5000);
    queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      queues.lane.burst = 1 + i % 16;
      sent += send(queues.lane, 0);
    }
    queues.lane.tx->reclaim();
    EXPECT_EQ(queues.lane.tx->free_entries(), kEntries);
    EXPECT_FALSE(queues.lane.tx->overflowed());
    EXPECT_EQ(port.counters().tx_packets, sent);
    EXPECT_EQ(port.counters().tx_doorbells, 1000U);
    EXPECT_EQ(port.counters().tx_completions, 1000U);
  };
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, body));
  EXPECT_TRUE(keeps_the_contract("engine=inline doorbell=call", kCable, body, Doorbells::calls));
}

TEST(SendRing, CountsFailedPacketsAndContinues) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=tx=33,every=7", kCable, [](SimulatedPort& port, Queues& queues) {
        queues.add(60, 5000);
        queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
        for (int i = 0; i < 70; ++i) EXPECT_EQ(send(queues.lane, 0), 16U);
        queues.lane.tx->reclaim();
        EXPECT_EQ(queues.lane.tx->free_entries(), kEntries);
        EXPECT_EQ(queues.lane.tx->errors(), 160U);
        EXPECT_GT(queues.lane.counters.tx_errors.get(), 0U);
        EXPECT_EQ(port.counters().tx_errors, 160U);
      }));
}

TEST(SendRing, DoesNotSendWhenTheRingIsFull) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=doorbell=lost", kCable, [](SimulatedPort&, Queues& queues) {
        queues.add(60, 5000);
        queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
        for (int i = 0; i < 4; ++i) EXPECT_EQ(send(queues.lane, 0), 16U);
        EXPECT_EQ(send(queues.lane, 0), 0U);
        EXPECT_EQ(queues.lane.tx->free_entries(), 0U);
      }));
}

TEST(SendRing, SendsABurstThatJustFits) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=doorbell=lost", kCable, [](SimulatedPort&, Queues& queues) {
        queues.add(60, 5000);
        queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
        for (int i = 0; i < 3; ++i) EXPECT_EQ(send(queues.lane, 0), 16U);
        for (const auto [burst, sent] :
             {std::pair<std::uint16_t, unsigned>{17, 0}, {14, 14}, {3, 0}, {2, 2}, {1, 0}}) {
          queues.lane.burst = burst;
          EXPECT_EQ(send(queues.lane, 0), sent) << burst;
        }
        EXPECT_EQ(queues.lane.tx->free_entries(), 0U);
      }));
}

TEST(SendPattern, WritesPortAndChecksumOfEachFlow) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    constexpr std::uint16_t kFlows = 1000;
    const auto slots = queues.lane.tx->slots();
    for (std::uint32_t i = 0; i < slots; ++i) queues.add(60, 50000);
    queues.lane.send_pattern.start(*queues.lane.tx, {50000, 50000 + kFlows - 1});
    while (port.counters().tx_packets < 2 * kFlows) send(queues.lane, 0);
    const auto frames = port.cable().take_frames();
    for (std::size_t i = 0; i < 2 * kFlows; ++i) {
      EXPECT_EQ(frames[i], frame_of(60, static_cast<std::uint16_t>(50000 + i % kFlows)));
    }
  }));
}

// Seven, the number of sizes, does not divide the number of slots of a ring.
TEST(SendPattern, RepeatsThePatternOfSizes) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    constexpr std::size_t kSizes[] = {60, 60, 60, 590, 590, 1514, 100};
    for (const auto size : kSizes) queues.add(size, 5000);
    queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
    for (int i = 0; i < 70; ++i) send(queues.lane, 0);
    const auto frames = port.cable().take_frames();
    EXPECT_EQ(frames.size(), 70U * 16);
    for (std::size_t i = 0; i < frames.size(); ++i)
      EXPECT_EQ(frames[i], frame_of(kSizes[i % 7], 5000));
  }));
}

TEST(ReceiveRing, ReceivesPacketsAndPostsTheBuffersAgain) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kLoop, [](SimulatedPort& port, Queues& queues) {
    queues.add(1000, 5000);
    queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
    queues.receive();
    for (int i = 0; i < 100; ++i) send_and_receive(queues.lane, 0);
    receive(queues.lane, 0);
    EXPECT_EQ(queues.lane.counters.rx_packets.get(), 1600U);
    EXPECT_EQ(queues.lane.counters.rx_bytes.get(), 1600U * 1000);
    EXPECT_EQ(queues.lane.counters.tx_bytes.get(), 1600U * 1000);
    EXPECT_EQ(port.counters().rx_no_buffer, 0U);
    EXPECT_EQ(queues.lane.rx->free_entries(), 0U);
  }));
}

TEST(ReceiveRing, ReceivesSeveralPacketsPerCompletion) {
  for (const auto* coalesced : {"4", "8"}) {
    const auto body = [](SimulatedPort& port, Queues& queues) {
      for (const std::size_t size : {60U, 100U, 1000U}) queues.add(size, 5000);
      queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
      queues.receive();
      for (int i = 0; i < 100; ++i) send_and_receive(queues.lane, 0);
      receive(queues.lane, 0);
      EXPECT_EQ(queues.lane.counters.rx_packets.get(), 1600U);
      EXPECT_EQ(queues.lane.counters.rx_bytes.get(), queues.lane.counters.tx_bytes.get());
      EXPECT_LT(port.counters().rx_completions, 1600U);
      EXPECT_EQ(queues.lane.rx->free_entries(), 0U);
    };
    EXPECT_TRUE(
        keeps_the_contract(fmt::format("engine=inline coalesce={}", coalesced), kLoop, body));
  }
}

// Completions of 1 to 8 packets; larger bursts need a second completion.
TEST(ReceiveRing, ReadsEachLengthOfACompletion) {
  for (const auto* coalesced : {"4", "8"}) {
    const auto body = [](SimulatedPort& port, Queues& queues) {
      queues.receive();
      for (unsigned packets = 1; packets <= 16; ++packets) {
        std::vector<Bytes> bytes;
        std::vector<std::uint32_t> expected, sizes;
        for (unsigned i = 0; i < packets; ++i) {
          expected.push_back(60 + 10 * packets + i);
          bytes.push_back(frame_of(expected.back(), 5000));
        }
        const std::vector<adapter::Frame> frames(bytes.begin(), bytes.end());
        port.adapter().port(0).receiver().deliver(frames);
        queues.lane.rx->poll(64, [&](std::uint32_t, std::uint32_t size) { sizes.push_back(size); });
        EXPECT_EQ(sizes, expected);
        queues.lane.rx->post(queues.lane.rx->free_entries());
      }
    };
    EXPECT_TRUE(
        keeps_the_contract(fmt::format("engine=inline coalesce={}", coalesced), kCable, body));
  }
}

TEST(ReceiveRing, PollsOnlyTheRequestedNumberOfCompletions) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    queues.receive();
    const std::vector<Bytes> bytes(5, frame_of(60, 5000));
    const std::vector<adapter::Frame> frames(bytes.begin(), bytes.end());
    port.adapter().port(0).receiver().deliver(frames);
    for (const auto [max, expected] : {std::pair{0U, 0}, {1U, 1}, {3U, 3}, {3U, 1}, {3U, 0}}) {
      int packets = 0;
      queues.lane.rx->poll(max, [&](std::uint32_t, std::uint32_t) { ++packets; });
      EXPECT_EQ(packets, expected) << max;
    }
  }));
}

TEST(ReceiveRing, CountsTruncatedPacketsAsErrors) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=rx=truncate,every=4", kLoop, [](SimulatedPort&, Queues& queues) {
        queues.add(60, 5000);
        queues.lane.send_pattern.start(*queues.lane.tx, {5000, 5000});
        queues.receive();
        for (int i = 0; i < 10; ++i) send_and_receive(queues.lane, 0);
        receive(queues.lane, 0);
        EXPECT_EQ(queues.lane.counters.rx_packets.get(), 120U);
        EXPECT_EQ(queues.lane.rx->errors(), 40U);
        EXPECT_EQ(queues.lane.counters.rx_errors.get(), 40U);
      }));
}

TEST(Forward, ReturnsPacketsUnchanged) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    queues.receive(queues.lane.tx->slots());
    auto& ingress = port.adapter().port(0).receiver();
    std::vector<Bytes> received;
    for (std::uint16_t i = 0; i < 500; ++i) {
      received.push_back(frame_of(60U + i, i));
      const adapter::Frame frame(received.back());
      ingress.deliver({&frame, 1});
      EXPECT_EQ(forward(queues.lane, 0), 1U);
    }
    EXPECT_EQ(port.cable().take_frames(), received);
    EXPECT_EQ(port.counters().rx_no_buffer, 0U);
  }));
}

TEST(Forward, CountsPacketsAndErrors) {
  const auto body = [](SimulatedPort& port, Queues& queues) {
    queues.receive(queues.lane.tx->slots());
    const auto bytes = frame_of(100, 5000);
    for (int i = 0; i < 60; ++i) {
      const adapter::Frame frame(bytes);
      port.adapter().port(0).receiver().deliver({&frame, 1});
      forward(queues.lane, 0);
    }
    forward(queues.lane, 0);  // reads the last completions
    const auto& counters = queues.lane.counters;
    EXPECT_EQ(counters.tx_errors.get(), port.counters().tx_errors);
    EXPECT_EQ(counters.rx_errors.get(), 60 - counters.rx_packets.get());
    EXPECT_EQ(counters.tx_errors.get() + counters.rx_errors.get(), 60U / 3);
    EXPECT_EQ(counters.tx_packets.get(), counters.rx_packets.get());
    EXPECT_EQ(counters.tx_bytes.get(), counters.tx_packets.get() * 100);
    EXPECT_EQ(counters.rx_bytes.get(), counters.rx_packets.get() * 100);
    EXPECT_EQ(counters.polls(), 61U);
  };
  for (const auto* fault : {"tx=33", "rx=truncate"}) {
    EXPECT_TRUE(
        keeps_the_contract(fmt::format("engine=inline fault={},every=3", fault), kCable, body));
  }
}

TEST(Forward, TurnsRequestsIntoReplies) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](SimulatedPort& port, Queues& queues) {
    queues.receive(queues.lane.tx->slots());
    auto request = frame_of(100, 5000);
    write_request({1, 2, 3, 4}, RequestBytes(request.data() + kHeaderBytes, kRequestBytes));
    const auto other = frame_of(100, 6000);
    for (const auto& received : {request, other}) {
      const adapter::Frame frame(received);
      port.adapter().port(0).receiver().deliver({&frame, 1});
      EXPECT_EQ(forward(queues.lane, 0), 1U);
    }
    auto reply = request;
    reverse_direction(reply);
    EXPECT_NE(reply, request);
    EXPECT_EQ(port.cable().take_frames(), (std::vector<Bytes>{reply, other}));
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs::verbs_rings_test
