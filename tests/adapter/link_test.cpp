// SPDX-License-Identifier: MIT
//
// The link model, in virtual time.

#include "adapter/driver.h"

namespace manactl::adapter::link_test {
namespace {

constexpr std::uint64_t kMicro = 1000, kMilli = 1000 * kMicro;

class LinkTest : public AdapterTest {
 protected:
  explicit LinkTest(const LinkModel& link) : AdapterTest(with(link)) {}

  static AdapterSetup with(const LinkModel& link) {
    auto setup = AdapterTest::setup(Threading::manual, 2);
    setup.link = link;
    return setup;
  }

  static void post_buffers(Queue& rq, std::size_t count, const wire::Sge& sge) {
    for (std::size_t i = 0; i < count; ++i) rq.post({}, wire::TxShortOob{}, {sge});
    rq.ring_doorbell();
  }
};

class PacketRate : public LinkTest {
 protected:
  PacketRate() : LinkTest({.packets_per_second = 100'000}) {}
};

TEST_F(PacketRate, SendsAFrameWhenItsTurnComes) {
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 50; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.run();
  EXPECT_EQ(sq.poll_all().size(), 1U);
  adapter.step(10 * kMicro);
  EXPECT_EQ(sq.poll_all().size(), 1U);
  adapter.step(9 * kMicro);
  EXPECT_EQ(sq.poll_all().size(), 0U);
  adapter.step(kMilli);
  EXPECT_EQ(sq.poll_all().size(), 48U);
  EXPECT_EQ(adapter.clock().now(), 10 * kMicro + 9 * kMicro + kMilli);
}

TEST_F(PacketRate, IsSharedEquallyByTheQueues) {
  Queue first(adapter.port(0), Direction::send), second(adapter.port(0), Direction::send);
  for (auto* queue : {&first, &second}) {
    for (int i = 0; i < 60; ++i) queue->post({piece(0, 60)});
    queue->ring_doorbell();
  }
  adapter.step(195 * kMicro);  // 20 frames, at 0, 10, ... 190 us
  EXPECT_EQ(first.poll_all().size(), 10U);
  EXPECT_EQ(second.poll_all().size(), 10U);
}

TEST_F(PacketRate, DoesNotAccumulateWhileIdle) {
  Queue sq(adapter.port(0), Direction::send);
  sq.send({piece(0, 60)});
  adapter.step(10 * kMilli);
  for (int i = 0; i < 20; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.step(45 * kMicro);
  EXPECT_EQ(sq.poll_all().size(), 1U + 5U);
}

TEST_F(PacketRate, LimitsReceivedFrames) {
  adapter.port(0).connect(make_generator(adapter.port(0).receiver(), {}));
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  post_buffers(rq, 60, piece(0, 2048));
  adapter.step(195 * kMicro);
  EXPECT_EQ(rq.poll_all().size(), 20U);
}

// A frame of 60 bytes takes 672 ns at the bit rate, one of 1000 bytes takes 8192 ns.
class PacketAndBitRate : public LinkTest {
 protected:
  PacketAndBitRate()
      : LinkTest({.packets_per_second = 1'000'000, .bits_per_second = 1'000'000'000}) {}
};

TEST_F(PacketAndBitRate, LimitEachFrameByTheLowerRate) {
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 20; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.step(10 * kMicro - 1);
  EXPECT_EQ(sq.poll_all().size(), 10U);
  adapter.step(10 * kMicro);
  EXPECT_EQ(sq.poll_all().size(), 10U);
  adapter.step(kMilli);
  for (int i = 0; i < 20; ++i) sq.post({piece(0, 1000)});
  sq.ring_doorbell();
  adapter.step(10 * 8192 - 1);
  EXPECT_EQ(sq.poll_all().size(), 10U);
}

class BitRate : public LinkTest {
 protected:
  BitRate() : LinkTest({.bits_per_second = 1'000'000'000}) {}
};

TEST_F(BitRate, CountsTheBitsOnTheWire) {
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 100; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.step(10 * 672 - 1);  // at 1 Gbit/s, a frame (84 bytes with gap) takes 672 ns
  EXPECT_EQ(sq.poll_all().size(), 10U);
  adapter.step(1);
  EXPECT_EQ(sq.poll_all().size(), 1U);
}

class Delay : public LinkTest {
 protected:
  Delay() : LinkTest({.latency_ns = 100 * kMicro, .jitter_ns = 50 * kMicro}) {}
};

TEST_F(Delay, DeliversCopiesLaterAndInOrder) {
  adapter.port(0).connect(make_peer_link(adapter.port(1).receiver()));
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(1), Direction::receive);
  spread(1, {rq.ids.wq});
  for (std::size_t i = 0; i < 20; ++i) {
    rq.post({}, wire::TxShortOob{}, {piece(16384 + i * 64, 64)});
  }
  rq.ring_doorbell();
  for (std::uint16_t i = 0; i < 20; ++i) sq.post({frame_at(i * 64U, udp_frame(i))});
  sq.ring_doorbell();
  adapter.step(99 * kMicro);
  EXPECT_EQ(sq.poll_all().size(), 20U) << "the latency does not delay send completions";
  EXPECT_EQ(counters.port[1].rx_packets, 0U);
  std::ranges::fill(memory.begin(), memory.begin() + 8192, std::uint8_t{0});
  adapter.step(52 * kMicro);
  EXPECT_EQ(rq.poll_all().size(), 20U);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(memory[16384 + i * 64 + 35], i);
}

TEST_F(Delay, DropsAndCountsFramesBeyondItsCapacity) {
  AdapterCounters own{};
  SteadyClock clock;
  auto far_end = make_peer_link(adapter.port(1).receiver());
  DelayLine line({.latency_ns = 1'000'000'000}, clock, *far_end, own.port[0].tx_lost);
  const auto frame = udp_frame();
  const std::vector<Frame> burst(1024, Frame(frame));
  for (std::size_t i = 0; i < DelayLine::kMaxFrames / burst.size() + 1; ++i) line.transmit(burst);
  EXPECT_EQ(own.port[0].tx_lost, burst.size());
}

}  // namespace
}  // namespace manactl::adapter::link_test
