// SPDX-License-Identifier: MIT

#include "adapter/adapter.h"

#include "adapter/driver.h"

namespace manactl::adapter::adapter_test {
namespace {

TEST_F(AdapterTest, SendsAFrameAndCompletesIt) {
  Queue sq(adapter.port(0), Direction::send);
  sq.send({piece(0, 60)});
  EXPECT_FALSE(sq.poll()) << "the device has not run yet";
  EXPECT_EQ(adapter.run(), 1U);
  const auto done = sq.poll();
  ASSERT_TRUE(done);
  EXPECT_EQ(done->tx().header.type, wire::CqeType::tx_okay);
  EXPECT_TRUE(done->info.is_sq);
  EXPECT_EQ(done->info.wq_id, sq.ids.wq);
  EXPECT_EQ(counters.port[0].tx_packets, 1U);
  EXPECT_EQ(counters.port[0].tx_bytes, 60U);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(AdapterTest, CompletesInOrderWithTheWqeOffset) {
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 10; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.run();
  const auto all = sq.poll_all();
  ASSERT_EQ(all.size(), 10U);
  for (std::uint32_t i = 0; i < 10; ++i) EXPECT_EQ(all[i].tx().wqe_offset, i);
}

TEST_F(AdapterTest, HonorsSuppressedCompletions) {
  Queue sq(adapter.port(0), Direction::send);
  auto suppressed = sq.oob();
  suppressed.suppress_cqe = true;
  sq.post({}, suppressed, {piece(0, 60)});
  sq.post({}, suppressed, {piece(0, 60)});
  sq.send({piece(0, 60)});
  adapter.run();
  EXPECT_EQ(sq.poll_all().size(), 1U);
  EXPECT_EQ(counters.port[0].tx_packets, 3U);
}

TEST_F(AdapterTest, FollowsAnSgeListThatWrapsAroundTheRing) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  const auto frame = udp_frame();
  frame_at(0, frame);
  for (int i = 0; i < 127; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.run();
  rq.post({}, wire::TxShortOob{}, {piece(8192, 2048)});
  rq.ring_doorbell();
  sq.send({piece(0, 14),
           piece(14, 20),
           piece(34, 26)});  // this WQE has 2 basic units, of which the second wraps around
  adapter.run();
  EXPECT_EQ(Buffer(memory.begin() + 8192, memory.begin() + 8192 + 60), frame);
  EXPECT_EQ(violations(), 0U);
}

TEST_F(AdapterTest, LoopsAFrameBackWithItsHash) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  const auto frame = udp_frame();
  sq.send({frame_at(0, frame)});
  adapter.run();
  const auto got = rq.poll();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->rx().header.type, wire::CqeType::rx_okay);
  EXPECT_EQ(got->rx().packets[0].length, 60U);
  EXPECT_EQ(got->rx().packets[1].length, 0U);
  EXPECT_EQ(got->rx().hash_type, 0x1b6U);
  EXPECT_NE(got->rx().packets[0].hash, 0U);
  EXPECT_FALSE(got->info.is_sq);
  EXPECT_EQ(Buffer(memory.begin() + 4096, memory.begin() + 4096 + 60), frame);
}

// The tag goes from the OOB of the sender into the frame, and from there into the completion.
TEST_F(AdapterTest, InsertsAVlanTagAndStripsIt) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send);
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.send({piece(4096, 2048)});
  const auto frame = udp_frame();
  wire::TxLongOob oob;
  oob.base = sq.oob();
  oob.base.format = wire::PacketFormat::long_form;
  oob.inject_vlan_tag = true;
  oob.priority = 3;
  oob.vlan_id = 0x805;
  sq.post({.inline_oob = wire::OobSize::large}, oob, {frame_at(0, frame)});
  sq.ring_doorbell();
  adapter.run();
  EXPECT_EQ(violations(), 0U);
  const auto completion = rq.poll().value().rx();
  EXPECT_TRUE(completion.vlan_present);
  EXPECT_EQ(completion.vlan_id, 0x805);
  EXPECT_TRUE(completion.ip_ok || completion.ip_bad) << "the header after the tag is found";
  EXPECT_EQ(completion.packets[0].length, frame.size());
  EXPECT_TRUE(std::ranges::equal(frame, std::span(memory).subspan(4096, frame.size())));
}

TEST_F(AdapterTest, SpreadsFlowsOverTheQueues) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send);
  Queue first(adapter.port(0), Direction::receive), second(adapter.port(0), Direction::receive);
  spread(0, {first.ids.wq, second.ids.wq});
  for (std::size_t i = 0; i < 32; ++i) {
    first.post({}, wire::TxShortOob{}, {piece(4096 + i * 64, 64)});
    second.post({}, wire::TxShortOob{}, {piece(8192 + i * 64, 64)});
  }
  first.ring_doorbell();
  second.ring_doorbell();
  for (std::uint16_t i = 0; i < 32; ++i) sq.post({frame_at(i * 64U, udp_frame(i))});
  sq.ring_doorbell();
  adapter.run();
  const auto one = first.poll_all().size(), two = second.poll_all().size();
  EXPECT_EQ(one + two, 32U);
  EXPECT_GT(one, 4U);
  EXPECT_GT(two, 4U);
}

TEST_F(AdapterTest, DeliversToTheOtherPortOfAPair) {
  adapter.port(0).connect(make_peer_link(adapter.port(1).receiver()));
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(1), Direction::receive);
  spread(1, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  sq.send({frame_at(0, udp_frame())});
  adapter.run();
  EXPECT_TRUE(rq.poll());
  EXPECT_EQ(counters.port[1].rx_packets, 1U);
  EXPECT_EQ(counters.port[0].rx_packets, 0U);
}

TEST_F(AdapterTest, CountsFramesWithoutABuffer) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  sq.send({frame_at(0, udp_frame())});
  adapter.run();
  EXPECT_FALSE(rq.poll());
  EXPECT_EQ(counters.port[0].rx_no_buffer, 1U);
  EXPECT_EQ(counters.port[0].tx_packets, 1U);
}

TEST_F(AdapterTest, DoesNotTouchTheBuffersOfARemovedQueue) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
  rq.ring_doorbell();
  EXPECT_TRUE(adapter.port(0).remove(rq.ids.wq));
  sq.send({frame_at(0, udp_frame())});
  adapter.run();
  EXPECT_FALSE(rq.poll());
  EXPECT_EQ(memory[4096], 0U);
  EXPECT_EQ(counters.port[0].rx_no_buffer, 1U);
}

TEST_F(AdapterTest, TruncatesAFrameThatDoesNotFit) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  rq.post({}, wire::TxShortOob{}, {piece(4096, 40)});
  rq.ring_doorbell();
  memory[4096 + 40] = 0xee;
  sq.send({frame_at(0, udp_frame())});
  adapter.run();
  const auto got = rq.poll();
  ASSERT_TRUE(got);
  EXPECT_EQ(got->rx().header.type, wire::CqeType::rx_truncated);
  EXPECT_EQ(got->rx().packets[0].length, 40U);
  EXPECT_EQ(memory[4096 + 40], 0xee);
}

TEST_F(AdapterTest, GeneratesUntilTheFramesAreUsedUp) {
  adapter.port(0).connect(make_generator(adapter.port(0).receiver(), {.frames = 5}));
  Queue rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  for (std::size_t i = 0; i < 3; ++i) rq.post({}, wire::TxShortOob{}, {piece(i * 2048, 2048)});
  rq.ring_doorbell();
  adapter.run();
  EXPECT_EQ(rq.poll_all().size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) rq.post({}, wire::TxShortOob{}, {piece(i * 2048, 2048)});
  rq.ring_doorbell();
  adapter.run();
  const auto rest = rq.poll_all();
  ASSERT_EQ(rest.size(), 2U);
  EXPECT_TRUE(rest[0].rx().ip_ok);
  EXPECT_TRUE(rest[0].rx().udp_ok);
  EXPECT_EQ(counters.port[0].rx_no_buffer, 0U);
}

TEST_F(AdapterTest, RaisesOneEventForEachArm) {
  Queue sq(adapter.port(0), Direction::send);
  sq.arm();
  EXPECT_EQ(sq.events, 0U);
  sq.send({piece(0, 60)});
  adapter.run();
  sq.send({piece(0, 60)});
  adapter.run();
  EXPECT_EQ(sq.events, 1U);
  sq.poll();
  sq.arm();  // raises an event at once, because one completion is unread
  EXPECT_EQ(sq.events, 2U);
}

TEST_F(AdapterTest, GivesEveryQueueAnIdThatRevealsWrongMasks) {
  std::vector<std::uint32_t> ids;
  for (int i = 0; i < 3; ++i) {
    Queue sq(adapter.port(0), Direction::send);
    ids.push_back(sq.ids.wq);
    ids.push_back(sq.ids.cq);
    EXPECT_TRUE(adapter.port(0).remove(sq.ids.wq));
    EXPECT_FALSE(adapter.port(0).remove(sq.ids.wq));
  }
  for (const auto id : ids) {
    EXPECT_NE(id & 0x3ffU, 0U);
    EXPECT_NE(id >> 10U, 0U);
    EXPECT_EQ(std::ranges::count(ids, id), 1);
  }
}

TEST_F(AdapterTest, RejectsInvalidQueues) {
  Buffer ring(8192), cq(64 * 64);
  const QueueSetup good{ring.data(), 4096, cq.data(), 64, {}};
  auto unaligned = good, small = good, empty = good, none = good;
  unaligned.ring_bytes = 4096 + 32;
  small.ring_bytes = 2048;
  empty.cq_entries = 0;
  none.ring = nullptr;
  for (const auto& setup : {unaligned, small, empty, none}) {
    EXPECT_EQ(adapter.port(0).create(Direction::send, setup).error().code, Errc::invalid);
  }
  for (std::uint32_t i = 0; i < kQueuesPerPort; ++i) {
    EXPECT_TRUE(adapter.port(0).create(Direction::send, good));
  }
  EXPECT_EQ(adapter.port(0).create(Direction::send, good).error().code, Errc::busy);
}

TEST_F(AdapterTest, InjectsAPlannedFaultIntoEveryNthPacket) {
  adapter.faults(0).tx.set(3);
  Queue sq(adapter.port(0), Direction::send);
  for (int i = 0; i < 6; ++i) sq.post({piece(0, 60)});
  sq.ring_doorbell();
  adapter.run();
  const auto all = sq.poll_all();
  ASSERT_EQ(all.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(all[i].tx().header.type,
              i % 3 == 2 ? wire::CqeType::tx_sa_drop : wire::CqeType::tx_okay);
  }
  EXPECT_EQ(counters.port[0].tx_errors, 2U);
  EXPECT_EQ(violations(), 0U) << "a planned fault is not a violation by the driver";
}

TEST_F(AdapterTest, FillsChecksumsThatTheDriverOffloads) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  auto oob = sq.oob();
  oob.compute_ip_checksum = oob.compute_udp_checksum = true;
  auto frame = udp_frame();
  frame[40] = 0x12;  // a wrong UDP checksum
  for (const bool offloaded : {false, true}) {
    rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
    rq.ring_doorbell();
    sq.post({}, offloaded ? oob : sq.oob(), {frame_at(0, frame)});
    sq.ring_doorbell();
    adapter.run();
    const auto got = rq.poll();
    ASSERT_TRUE(got);
    EXPECT_EQ(got->rx().ip_ok, offloaded);
    EXPECT_EQ(got->rx().udp_ok, offloaded);
    EXPECT_EQ(got->rx().udp_bad, !offloaded);
  }
  EXPECT_EQ(memory[40], 0x12) << "the driver's buffer does not change";
}

class DirectTest : public AdapterTest {
 protected:
  DirectTest() : AdapterTest(Threading::direct, 1) {}
};

TEST_F(DirectTest, CompletesWithinTheDoorbell) {
  Queue sq(adapter.port(0), Direction::send);
  sq.send({piece(0, 60)});
  EXPECT_TRUE(sq.poll());
}

TEST_F(DirectTest, LosesNoPacketOfManyThreads) {
  constexpr unsigned kThreads = 4, kPackets = 5000;
  loop(0);
  std::vector<std::thread> threads;
  std::atomic<unsigned> completed{0};
  for (unsigned t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      Queue sq(adapter.port(0), Direction::send);
      for (unsigned i = 0; i < kPackets; ++i) {
        sq.send({piece(0, 60)});
        completed += sq.poll() ? 1U : 0U;
      }
      EXPECT_TRUE(adapter.port(0).remove(sq.ids.wq));
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(completed, kThreads * kPackets);
  EXPECT_EQ(counters.port[0].tx_packets, kThreads * kPackets);
}

class ThreadedTest : public AdapterTest {
 protected:
  ThreadedTest() : AdapterTest(Threading::threaded, 1) {}
};

TEST_F(ThreadedTest, NeverTouchesAQueueThatIsRemoved) {
  adapter.start();
  for (int round = 0; round < 200; ++round) {
    Queue sq(adapter.port(0), Direction::send);
    for (int i = 0; i < 60; ++i) sq.post({piece(0, 60)});
    sq.ring_doorbell();
    ASSERT_TRUE(adapter.port(0).remove(sq.ids.wq));
    // The queue is removed, so the adapter must not access its memory any more.
    const auto completions = sq.cq;
    std::ranges::fill(sq.ring, std::uint8_t{0xff});
    std::this_thread::yield();
    EXPECT_EQ(sq.cq, completions);
  }
  adapter.stop();
  EXPECT_EQ(violations(), 0U);
}

TEST_F(ThreadedTest, WorksOnItsOwnThread) {
  loop(0);
  Queue sq(adapter.port(0), Direction::send), rq(adapter.port(0), Direction::receive);
  spread(0, {rq.ids.wq});
  frame_at(0, udp_frame());
  adapter.start();
  for (int i = 0; i < 500; ++i) {
    rq.post({}, wire::TxShortOob{}, {piece(4096, 2048)});
    rq.ring_doorbell();
    sq.send({piece(0, 60)});
    while (!sq.poll()) std::this_thread::yield();
    while (!rq.poll()) std::this_thread::yield();
  }
  adapter.stop();
  EXPECT_EQ(counters.port[0].rx_packets, 500U);
  EXPECT_EQ(violations(), 0U);
}

}  // namespace
}  // namespace manactl::adapter::adapter_test
