// SPDX-License-Identifier: MIT
#include "datapath/measure/worker.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

namespace manactl::datapath::worker_test {
namespace {

constexpr unsigned kSender = 0, kReceiver = 1;

struct TestLane : BaseLane {
  unsigned queue = 0;
};

void wait_until(const std::atomic<bool>& flag) {
  while (!flag) std::this_thread::yield();
}

std::atomic<bool> sender_was_called = false, receiver_was_called = false;
std::atomic<unsigned> in_flight = 0;

// Receives what the other queue sent, because RSS may spread packets to any queue.
unsigned receive(TestLane& lane, std::uint64_t /*now*/) noexcept {
  if (lane.queue != kReceiver) return 0;
  receiver_was_called = true;
  const unsigned received = in_flight.exchange(0);
  lane.count_received(received, 0);
  return received;
}

// Sends its packet only after the other worker has begun to drain.
unsigned send_late(TestLane& lane, std::uint64_t /*now*/) noexcept {
  if (lane.queue != kSender) return 0;
  sender_was_called = true;
  constexpr auto kTimeout = std::chrono::seconds(5);
  const auto end = std::chrono::steady_clock::now() + kTimeout;
  while (!receiver_was_called && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  lane.count_sent(1, 0);
  in_flight = 1;
  return 1;
}

TEST(Worker, ReceivesUntilAllOthersHaveStoppedSending) {
  TestLane lanes[2];
  Team team;
  team.drain_limits = {10'000'000, 30'000'000};
  Worker workers[2];
  for (const auto queue : {kSender, kReceiver}) {
    lanes[queue].queue = queue;
    lanes[queue].burst = 32;
    team.lanes.push_back(&lanes[queue]);
    workers[queue].lanes = {&lanes[queue]};
    workers[queue].team = &team;
  }
  std::vector<std::thread> threads;
  for (auto& worker : workers) {
    threads.emplace_back([&worker] { work_and_drain<TestLane, send_late, receive>(worker); });
  }
  for (const auto& worker : workers) wait_until(worker.ready);
  sender_was_called = false;
  receiver_was_called = false;  // receive() was also called to discard leftovers
  team.phase = Phase::running;
  wait_until(sender_was_called);
  team.phase = Phase::stopping;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lanes[kSender].counters.tx_packets.get(), 1U);
  EXPECT_EQ(lanes[kReceiver].counters.rx_packets.get(), 1U);
}

std::atomic<unsigned> leftovers = 0;

unsigned receive_leftovers(TestLane& lane, std::uint64_t /*now*/) noexcept {
  const unsigned received = leftovers.exchange(0);
  lane.count_received(received, 0);
  return received;
}

unsigned do_nothing(TestLane& /*lane*/, std::uint64_t /*now*/) noexcept {
  return 0;
}

TEST(Worker, DiscardsLeftoversBeforeItIsReady) {
  TestLane used, removed;
  removed.removed = true;
  Team team;
  team.lanes = {&removed, &used};
  Worker worker;
  worker.lanes = team.lanes;
  worker.team = &team;
  leftovers = 3;
  std::thread thread([&] { work_and_drain<TestLane, do_nothing, receive_leftovers>(worker); });
  wait_until(worker.ready);
  EXPECT_EQ(leftovers, 0U);
  EXPECT_EQ(used.counters.rx_packets.get(), 3U);
  EXPECT_EQ(removed.counters.rx_packets.get(), 0U);
  team.phase = Phase::stopping;
  thread.join();
}

unsigned receive_one(TestLane& lane, std::uint64_t /*now*/) noexcept {
  lane.count_received(1, 0);
  return 1;
}

TEST(Worker, ChargesNoCyclesForTheAbsenceOfADevice) {
  TestLane lane;
  lane.burst = 32;
  lane.removed = true;
  Worker worker;
  worker.lanes = {&lane};
  auto now = read_cycles();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto before_return = read_cycles();
  now = visit_all<TestLane, receive_one, 1>(worker, now);
  lane.removed = false;
  now = visit_all<TestLane, receive_one, 1>(worker, now);
  EXPECT_GT(lane.counters.cycles.get(), 0U);
  EXPECT_LE(lane.counters.cycles.get(), now - before_return);
}

TEST(Worker, ServesOneQueueForALimitedNumberOfFullBursts) {
  TestLane lane;
  lane.burst = 1;
  EXPECT_EQ((visit<TestLane, receive_one>(lane, 0, 5)), 5U);
  lane.burst = 2;  // a burst of one packet is not full
  EXPECT_EQ((visit<TestLane, receive_one>(lane, 0, 5)), 1U);
}

constexpr unsigned kRing = 2;  // packets
std::array<unsigned, 2> rings{};
std::atomic<bool> has_exchanged = false;

unsigned receive_from_ring(TestLane& lane, std::uint64_t /*now*/) noexcept {
  const auto received = std::exchange(rings.at(lane.queue), 0);
  lane.count_received(received, 0);
  return received;
}

// Sends a packet to the other queue, whose ring may be full.
unsigned exchange_with_other(TestLane& lane, std::uint64_t now) noexcept {
  const auto received = receive_from_ring(lane, now);
  auto& ring = rings.at(1 - lane.queue);
  ring = std::min(ring + 1, kRing);
  lane.count_sent(1, 0);
  has_exchanged = lane.queue == 1;
  return received + 1;
}

TEST(Worker, DoesNotOverflowTheRingOfItsOtherQueue) {
  TestLane lanes[2];
  Team team;
  Worker worker;
  worker.team = &team;
  for (const unsigned queue : {0U, 1U}) {
    lanes[queue].queue = queue;
    lanes[queue].burst = 1;
    team.lanes.push_back(&lanes[queue]);
  }
  worker.lanes = team.lanes;
  std::thread thread(
      [&] { work_and_drain<TestLane, exchange_with_other, receive_from_ring>(worker); });
  wait_until(worker.ready);
  team.phase = Phase::running;
  wait_until(has_exchanged);
  team.phase = Phase::stopping;
  thread.join();
  EXPECT_EQ(outstanding(team.lanes), 0);
}

// Otherwise, the lane would send nothing until the requests time out.
TEST(Lane, ForgetsTheRequestsThatItsDeviceHasLost) {
  TestLane lane;
  lane.requests = std::make_unique<Requests>(8);
  lane.requests->window.sent(8);
  lane.removed = lane.parked = true;
  EXPECT_EQ(lane.requests->window.available(1), 0U);
  lane.resume();
  EXPECT_TRUE(lane.in_use());
  EXPECT_FALSE(lane.parked);
  EXPECT_EQ(lane.requests->window.available(2), 8U);
}

}  // namespace
}  // namespace manactl::datapath::worker_test
