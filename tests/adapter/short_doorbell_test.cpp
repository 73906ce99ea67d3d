// SPDX-License-Identifier: MIT

#include "adapter/driver.h"

namespace manactl::adapter::short_doorbell_test {
namespace {

// 32-bit doorbells, which carry increments instead of tails.
class ShortDoorbell : public AdapterTest {
 protected:
  void ring(std::uint32_t offset, std::uint32_t id, std::uint16_t increment) {
    const wire::ShortWorkDoorbell doorbell{increment, static_cast<std::uint16_t>(id & 0xfff)};
    adapter.port(0).ring(offset, wire::load(*wire::encode(doorbell), 0, 4));
  }

  void arm(const Queue& queue, std::uint16_t read) {
    const wire::ShortEventDoorbell doorbell{
        read, static_cast<std::uint16_t>(queue.ids.cq & 0xfff), true};
    adapter.port(0).ring(0x810, wire::load(*wire::encode(doorbell), 0, 4));
  }

  // Directs all frames to this queue and posts buffers; the caller rings the doorbell.
  void receive_on(Queue& rq, int buffers) {
    spread(0, {rq.ids.wq});
    for (int i = 0; i < buffers; ++i) rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  }
};

TEST_F(ShortDoorbell, AddsToTheTailOfASender) {
  Queue sq(adapter.port(0), Direction::send);
  for (int round = 0; round < 200; ++round) {  // enough rounds for the ring to wrap
    sq.post({piece(0, 60)});
    sq.post({piece(0, 60)});
    ring(0x10, sq.ids.wq, 64);
    adapter.run();
    ASSERT_EQ(sq.poll_all().size(), 2U);
  }
  EXPECT_EQ(counters.port[0].tx_doorbells, 200U);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(ShortDoorbell, AddsToTheBuffersOfAReceiver) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  receive_on(rq, 4);
  ring(0x410, rq.ids.wq, 64);
  ring(0x410, rq.ids.wq, 64);
  for (int i = 0; i < 5; ++i) sq.send({piece(0, 60)});
  adapter.run();
  EXPECT_EQ(rq.poll_all().size(), 4U);
  EXPECT_EQ(counters.port[0].rx_no_buffer, 1U);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(ShortDoorbell, CountsTheHeadFromTheLastDoorbell) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  receive_on(rq, 8);
  rq.ring_doorbell();
  for (auto* queue : {&sq, &rq}) {
    arm(*queue, 0);
    EXPECT_EQ(queue->events, 0U);
  }
  for (int i = 0; i < 3; ++i) sq.send({piece(0, 60)});
  adapter.run();
  for (auto* queue : {&sq, &rq}) {
    EXPECT_EQ(queue->events, 1U);
    arm(*queue, 2);
    EXPECT_EQ(queue->events, 2U) << "one completion is still unread";
    arm(*queue, 1);
    EXPECT_EQ(queue->events, 2U);
  }
  EXPECT_EQ(violations(), 0U);
}

TEST_F(ShortDoorbell, IsCheckedLikeALongDoorbell) {
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  const auto& checker = adapter.checker();
  ring(0x10, sq.ids.wq ^ 0x400U, 32);
  ring(0x10, rq.ids.wq, 32);
  ring(0x410, sq.ids.wq, 32);
  ring(0x10, 0, 32);
  adapter.port(0).ring(0x810, 0xff0000);
  EXPECT_EQ(checker.count_of(Violation::doorbell_id), 5U);
  adapter.port(0).ring(0x10, std::uint64_t{1} << 28U | (sq.ids.wq & 0xfffU) << 16U);
  EXPECT_EQ(checker.count_of(Violation::doorbell_reserved), 1U);
}

}  // namespace
}  // namespace manactl::adapter::short_doorbell_test
