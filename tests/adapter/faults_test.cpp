// SPDX-License-Identifier: MIT
//
// Planned faults of the data path.

#include "adapter/driver.h"

namespace manactl::adapter::faults_test {
namespace {

constexpr std::uint64_t kMicro = 1000;

class FaultsTest : public AdapterTest {};

TEST_F(FaultsTest, DelaysADoorbell) {
  auto& faults = adapter.faults(0);
  faults.delayed_doorbell.set(1);
  faults.delay_ns = 100 * kMicro;
  Queue sq(adapter.port(0), Direction::send);
  sq.send({piece(0, 60)});
  adapter.step(99 * kMicro);
  EXPECT_FALSE(sq.poll());
  adapter.step(kMicro);
  EXPECT_TRUE(sq.poll());
  EXPECT_EQ(violations(), 0U);
}

TEST_F(FaultsTest, ADelayedDoorbellIsNotAViolation) {
  auto& faults = adapter.faults(0);
  faults.delayed_doorbell.set(2);
  faults.delay_ns = 100 * kMicro;
  Queue overtaken(adapter.port(0), Direction::send);
  Queue removed(adapter.port(0), Direction::send);
  overtaken.send({piece(0, 60)});
  overtaken.send({piece(0, 60)});  // delayed
  overtaken.send({piece(0, 60)});
  removed.send({piece(0, 60)});  // delayed
  adapter.run();
  EXPECT_EQ(overtaken.poll_all().size(), 3U);
  EXPECT_TRUE(adapter.port(0).remove(removed.ids.wq));
  adapter.step(200 * kMicro);
  EXPECT_EQ(violations(), 0U);
  EXPECT_EQ(counters.port[0].tx_packets, 3U);
}

TEST_F(FaultsTest, DuplicatesADoorbell) {
  adapter.faults(0).duplicated_doorbell.set(1);
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 3; ++i) sq.send({piece(0, 60)});
  adapter.run();
  EXPECT_EQ(sq.poll_all().size(), 3U);
  EXPECT_EQ(violations(), 0U);
}

class FaultsOfDirectAdapter : public AdapterTest {
 protected:
  FaultsOfDirectAdapter() : AdapterTest(Threading::direct, 1) {}
};

// With Threading::direct, frames arrive only when buffers are posted. If no other frame used the
// buffer that a dropped frame leaves, the driver would soon have no buffer to post again.
TEST_F(FaultsOfDirectAdapter, LeaveTheBufferOfADroppedFrameToAnotherFrame) {
  adapter.faults(0).no_buffer.set(3);
  adapter.port(0).connect(make_generator(adapter.port(0).receiver(), {}));
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  const auto post = [&](std::size_t buffers) {
    for (std::size_t i = 0; i < buffers; ++i) rq.post({}, wire::TxShortOob{}, {piece(0, 2048)});
    rq.ring_doorbell();
  };
  post(32);
  for (int round = 0; round < 100; ++round) {
    const auto received = rq.poll_all().size();
    ASSERT_GT(received, 0U) << "round " << round;
    post(received);
  }
  EXPECT_EQ(violations(), 0U);
}

TEST_F(FaultsTest, OverrunsACompletionQueue) {
  adapter.faults(0).overrun.set(2);
  Queue sq(adapter.port(0), Direction::send, 4);
  sq.send({piece(0, 60)});
  sq.send({piece(0, 60)});
  adapter.run();
  EXPECT_TRUE(sq.poll());
  const auto* second = sq.cq.data() + wire::kCqeBytes;
  const auto info = wire::decode<wire::CqeInfo>({second + wire::kCqeDataBytes, 4}).value();
  EXPECT_EQ(wire::phase_of(info.owner, 4 + 1, 4), wire::Phase::overflow);
}

TEST_F(FaultsTest, HaltsTheDevice) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  sq.arm();
  rq.arm();
  sq.post({piece(0, 60)});
  adapter.halt();
  sq.ring_doorbell();
  rq.arm();
  sq.arm();
  adapter.run();
  EXPECT_FALSE(sq.poll());
  EXPECT_FALSE(rq.poll());
  EXPECT_EQ(sq.events + rq.events, 0U);
  EXPECT_EQ(violations(), 0U) << "the driver does not know about the halt yet";
  EXPECT_TRUE(adapter.port(0).remove(sq.ids.wq));
  EXPECT_TRUE(adapter.port(0).remove(rq.ids.wq));
}

TEST_F(FaultsTest, LetsNewQueuesWorkAfterAHalt) {
  Queue before(adapter.port(0), Direction::send);
  adapter.halt();
  Queue after(adapter.port(0), Direction::send);
  EXPECT_NE(after.ids.wq, before.ids.wq);
  after.send({piece(0, 60)});
  before.send({piece(0, 60)});
  adapter.run();
  EXPECT_TRUE(after.poll());
  EXPECT_FALSE(before.poll());
}

TEST_F(FaultsTest, StopsQueuesWhoseMemoryIsUnmapped) {
  loop(0);
  Queue unmapped(adapter.port(0), Direction::send), stays(adapter.port(0), Direction::send);
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  unmapped.send({piece(0, 60)});
  stays.send({piece(0, 60)});
  adapter.halt_queues_in(Extent::of(unmapped.ring.data() + unmapped.ring.size() - 1, 10));
  adapter.halt_queues_in(Extent::of(rq.cq.data() - 10, 11));
  adapter.run();
  EXPECT_FALSE(unmapped.poll());
  EXPECT_TRUE(stays.poll());
  EXPECT_FALSE(rq.poll());
  EXPECT_EQ(violations(), 0U);
}

class Coalescing : public AdapterTest, public testing::WithParamInterface<unsigned> {
 protected:
  Coalescing() : AdapterTest(with(GetParam())) { loop(0); }

  static AdapterSetup with(unsigned packets) {
    auto setup = AdapterTest::setup(Threading::manual, 1);
    setup.coalesce = packets;
    return setup;
  }

  void exchange(Queue& sq, Queue& rq, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      rq.post({}, wire::TxShortOob{}, {piece(8192 + i * 128, 128)});
      sq.post({frame_at(i * 128, udp_frame(static_cast<std::uint16_t>(i), 60 + i))});
    }
    rq.ring_doorbell();
    sq.ring_doorbell();
    adapter.run();
  }
};

TEST_P(Coalescing, SharesACompletionWithinABurst) {
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  exchange(sq, rq, 11);
  const auto all = rq.poll_all();
  ASSERT_EQ(all.size(), GetParam() == 4 ? 3U : 2U);
  std::size_t seen = 0;
  for (const auto& completion : all) {
    for (std::size_t i = 0; i < GetParam(); ++i) {
      const auto packet = GetParam() == 4
                              ? completion.rx().packets[i]
                              : wire::decode<wire::RxCompletion8>(completion.data)->packet(i);
      if (packet.length == 0) break;
      EXPECT_EQ(packet.length, 60 + seen);
      EXPECT_NE(packet.hash, 0U);
      ++seen;
    }
  }
  EXPECT_EQ(seen, 11U);
  EXPECT_EQ(counters.port[0].rx_packets, 11U);
  EXPECT_EQ(counters.port[0].rx_completions, all.size());
}

TEST_P(Coalescing, DoesNotChangeASinglePacket) {
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  exchange(sq, rq, 1);
  const auto all = rq.poll_all();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].rx().header.type, wire::CqeType::rx_okay);
}

TEST_P(Coalescing, DoesNotMixPacketsWithDifferentFields) {
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  auto other = udp_frame();
  other[12] = 0x88;  // neither IPv4 nor IPv6
  for (std::size_t i = 0; i < 3; ++i) {
    rq.post({}, wire::TxShortOob{}, {piece(8192 + i * 128, 128)});
    sq.post({frame_at(i * 128, i == 1 ? other : udp_frame())});
  }
  rq.ring_doorbell();
  sq.ring_doorbell();
  adapter.run();
  const auto all = rq.poll_all();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[1].rx().hash_type, 0U);
  EXPECT_NE(all[2].rx().hash_type, 0U);
}

INSTANTIATE_TEST_SUITE_P(Packets, Coalescing, testing::Values(4U, 8U));

}  // namespace
}  // namespace manactl::adapter::faults_test
