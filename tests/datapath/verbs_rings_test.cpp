// SPDX-License-Identifier: MIT
//
// The queues of the direct-verbs engine against the strict checker of the software adapter.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "datapath/in_child.h"
#include "datapath/request.h"
#include "datapath/verbs/modes.h"
#include "datapath/verbs_machine.h"

namespace manactl::datapath::verbs {
namespace {

using testing::Each;
using testing::IsEmpty;

constexpr std::uint32_t kEntries = 64;
constexpr std::size_t kBuffer = 2048;
constexpr auto kCable = Machine::Ends::cable, kLoop = Machine::Ends::looped_cable;

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
struct Pair {
  explicit Pair(const Machine& port, Rings rings = Rings::stores)
      : context(port.open(rings).value()),
        memory(Region::make(*context, 4 * 256 * kBuffer).value()),
        tx(SendQueue::make(*context, kEntries).value()) {
    lane.tx = &tx.ring();
    lane.burst = 16;
  }

  void add(std::size_t bytes, std::uint16_t port) {
    auto* at = memory.data() + used++ * kBuffer;
    lane.outbox.add(*lane.tx, flow_with(port), {at, bytes}, memory.key());
  }

  void receive(std::uint32_t spare = 0) {
    rx.emplace(ReceiveQueues::make(*context, 1, kEntries).value());
    lane.rx = &rx->rings()[0];
    lane.exchange.key = memory.key();
    lane.exchange.sending.resize(lane.tx->slots());
    lane.exchange.free.resize(lane.rx->slots() + spare);
    for (auto& buffer : lane.exchange.free) {
      buffer = reinterpret_cast<std::uintptr_t>(memory.data() + used++ * kBuffer);
    }
    lane.exchange.count = spare;
    for (std::uint32_t i = 0; i < lane.rx->slots(); ++i) {
      lane.rx->at(i) = {
          kOneSegment, 0, lane.exchange.free[spare + i], key_and_size(memory.key(), kBuffer)};
    }
    lane.rx->post(lane.rx->room());
  }

  std::unique_ptr<Context> context;
  Region memory;
  SendQueue tx;
  std::optional<ReceiveQueues> rx;
  Lane lane;
  std::size_t used = 0;
};

// A child's body; the contract is kept until everything is gone.
bool keeps_the_contract(const std::string& setup,
                        Machine::Ends ends,
                        const std::function<void(Machine&, Pair&)>& body,
                        Rings rings = Rings::stores) {
  return in_child([&] {
    Machine port(setup, ends);
    {
      Pair pair(port, rings);
      body(port, pair);
    }
    EXPECT_THAT(port.broken(), IsEmpty());
  });
}

TEST(SendRing, SendsTheFinishedPacketByteForByte) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](Machine& port, Pair& pair) {
    pair.add(60, 5000);
    pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(send(pair.lane, 0), 16U);
    pair.lane.tx->reclaim();
    EXPECT_EQ(pair.lane.tx->done(), 1600U);
    const auto frames = port.cable().taken();
    EXPECT_EQ(frames.size(), 1600U);
    EXPECT_THAT(frames, Each(frame_of(60, 5000)));
  }));
}

// Bursts of changing length put the question into every slot sooner or later.
TEST(SendRing, AsksForOneCompletionOfABurst) {
  const auto body = [](Machine& port, Pair& pair) {
    pair.add(60, 5000);
    pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
    std::uint64_t sent = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      pair.lane.burst = 1 + i % 16;
      sent += send(pair.lane, 0);
    }
    pair.lane.tx->reclaim();
    EXPECT_EQ(pair.lane.tx->room(), kEntries);
    EXPECT_FALSE(pair.lane.tx->broken());
    EXPECT_EQ(port.counters().tx_packets, sent);
    EXPECT_EQ(port.counters().tx_doorbells, 1000U);
    EXPECT_EQ(port.counters().tx_completions, 1000U);
  };
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, body));
  EXPECT_TRUE(keeps_the_contract("engine=inline doorbell=call", kCable, body, Rings::calls));
}

TEST(SendRing, CountsFailedPacketsAndGoesOn) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=tx=33,every=7", kCable, [](Machine& port, Pair& pair) {
        pair.add(60, 5000);
        pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
        for (int i = 0; i < 70; ++i) EXPECT_EQ(send(pair.lane, 0), 16U);
        pair.lane.tx->reclaim();
        EXPECT_EQ(pair.lane.tx->room(), kEntries);
        EXPECT_EQ(pair.lane.tx->errors(), 160U);
        EXPECT_EQ(port.counters().tx_errors, 160U);
      }));
}

TEST(SendRing, WaitsForRoomWhenNothingIsCompleted) {
  EXPECT_TRUE(
      keeps_the_contract("engine=inline fault=doorbell=lost", kCable, [](Machine&, Pair& pair) {
        pair.add(60, 5000);
        pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
        for (int i = 0; i < 4; ++i) EXPECT_EQ(send(pair.lane, 0), 16U);
        EXPECT_EQ(send(pair.lane, 0), 0U);
        EXPECT_EQ(pair.lane.tx->room(), 0U);
      }));
}

TEST(Outbox, GivesEachPacketOfAFlowItsPortAndChecksum) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](Machine& port, Pair& pair) {
    constexpr std::uint16_t kFlows = 1000;
    const auto slots = pair.lane.tx->slots();
    for (std::uint32_t i = 0; i < slots; ++i) pair.add(60, 50000);
    pair.lane.outbox.start(*pair.lane.tx, {50000, 50000 + kFlows - 1});
    while (port.counters().tx_packets < 2 * kFlows) send(pair.lane, 0);
    const auto frames = port.cable().taken();
    for (std::size_t i = 0; i < 2 * kFlows; ++i) {
      EXPECT_EQ(frames[i], frame_of(60, static_cast<std::uint16_t>(50000 + i % kFlows)));
    }
  }));
}

// Seven sizes do not come out even with any ring.
TEST(Outbox, KeepsAPatternOfSizes) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](Machine& port, Pair& pair) {
    constexpr std::size_t kSizes[] = {60, 60, 60, 590, 590, 1514, 100};
    for (const auto size : kSizes) pair.add(size, 5000);
    pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
    for (int i = 0; i < 70; ++i) send(pair.lane, 0);
    const auto frames = port.cable().taken();
    EXPECT_EQ(frames.size(), 70U * 16);
    for (std::size_t i = 0; i < frames.size(); ++i)
      EXPECT_EQ(frames[i], frame_of(kSizes[i % 7], 5000));
  }));
}

TEST(ReceiveRing, TakesWhatComesAndOffersTheBuffersAgain) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kLoop, [](Machine& port, Pair& pair) {
    pair.add(1000, 5000);
    pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
    pair.receive();
    for (int i = 0; i < 100; ++i) send_and_receive(pair.lane, 0);
    receive(pair.lane, 0);
    EXPECT_EQ(pair.lane.counters.rx_packets.get(), 1600U);
    EXPECT_EQ(pair.lane.counters.rx_bytes.get(), 1600U * 1000);
    EXPECT_EQ(pair.lane.counters.tx_bytes.get(), 1600U * 1000);
    EXPECT_EQ(port.counters().rx_no_buffer, 0U);
    EXPECT_EQ(pair.lane.rx->room(), 0U);
  }));
}

TEST(ReceiveRing, TakesSeveralPacketsOfACompletion) {
  for (const auto* several : {"4", "8"}) {
    const auto body = [](Machine& port, Pair& pair) {
      for (const std::size_t size : {60U, 100U, 1000U}) pair.add(size, 5000);
      pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
      pair.receive();
      for (int i = 0; i < 100; ++i) send_and_receive(pair.lane, 0);
      receive(pair.lane, 0);
      EXPECT_EQ(pair.lane.counters.rx_packets.get(), 1600U);
      EXPECT_EQ(pair.lane.counters.rx_bytes.get(), pair.lane.counters.tx_bytes.get());
      EXPECT_LT(port.counters().rx_completions, 1600U);
      EXPECT_EQ(pair.lane.rx->room(), 0U);
    };
    EXPECT_TRUE(keeps_the_contract(fmt::format("engine=inline coalesce={}", several), kLoop, body));
  }
}

TEST(ReceiveRing, CountsCutPacketsAsErrors) {
  EXPECT_TRUE(keeps_the_contract(
      "engine=inline fault=rx=truncate,every=4", kLoop, [](Machine&, Pair& pair) {
        pair.add(60, 5000);
        pair.lane.outbox.start(*pair.lane.tx, {5000, 5000});
        pair.receive();
        for (int i = 0; i < 10; ++i) send_and_receive(pair.lane, 0);
        receive(pair.lane, 0);
        EXPECT_EQ(pair.lane.counters.rx_packets.get(), 120U);
        EXPECT_EQ(pair.lane.rx->errors(), 40U);
      }));
}

TEST(Forward, SendsBackWhatCameByteForByte) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](Machine& port, Pair& pair) {
    pair.receive(pair.lane.tx->slots());
    auto& ingress = port.adapter().port(0).receiver();
    std::vector<Bytes> came;
    for (std::uint16_t i = 0; i < 500; ++i) {
      came.push_back(frame_of(60U + i, i));
      const adapter::Frame frame(came.back());
      ingress.deliver({&frame, 1});
      EXPECT_EQ(forward(pair.lane, 0), 1U);
    }
    EXPECT_EQ(port.cable().taken(), came);
    EXPECT_EQ(port.counters().rx_no_buffer, 0U);
  }));
}

TEST(Forward, AnswersTheRequestsOfRoundTrips) {
  EXPECT_TRUE(keeps_the_contract("engine=inline", kCable, [](Machine& port, Pair& pair) {
    pair.receive(pair.lane.tx->slots());
    auto asked = frame_of(100, 5000);
    write_request({1, 2, 3, 4}, RequestBytes(asked.data() + kHeaderBytes, kRequestBytes));
    const auto stranger = frame_of(100, 6000);
    for (const auto& came : {asked, stranger}) {
      const adapter::Frame frame(came);
      port.adapter().port(0).receiver().deliver({&frame, 1});
      EXPECT_EQ(forward(pair.lane, 0), 1U);
    }
    auto answer = asked;
    turn_round(answer);
    EXPECT_NE(answer, asked);
    EXPECT_EQ(port.cable().taken(), (std::vector<Bytes>{answer, stranger}));
  }));
}

}  // namespace
}  // namespace manactl::datapath::verbs
