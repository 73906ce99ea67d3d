// SPDX-License-Identifier: MIT
#include "datapath/dpdk/loop.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace manactl::datapath::dpdk {
namespace {

constexpr std::uint16_t kSender = 0, kReceiver = 1;

std::atomic<bool> sender_is_in_turn = false, receiver_waits = false;
std::atomic<unsigned> on_the_way = 0;

// Takes what the other queue sent, as RSS may have it.
unsigned take(Lane& lane, std::uint64_t /*now*/) noexcept {
  if (lane.queue != kReceiver) return 0;
  receiver_waits = true;
  const unsigned came = on_the_way.exchange(0);
  lane.count_received(came, 0);
  return came;
}

// The sender's last packet leaves when the other worker has long heard of the stop.
unsigned send_late(Lane& lane, std::uint64_t /*now*/) noexcept {
  if (lane.queue != kSender) return 0;
  sender_is_in_turn = true;
  constexpr auto kWatchdog = std::chrono::seconds(5);
  const auto end = std::chrono::steady_clock::now() + kWatchdog;
  while (!receiver_waits && std::chrono::steady_clock::now() < end) std::this_thread::yield();
  lane.count_sent(1, 0);
  on_the_way = 1;
  return 1;
}

TEST(Loop, DrainsWhatOtherWorkersSendUntilTheyStop) {
  Lane lanes[2];
  Team team;
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
    threads.emplace_back([&worker] { work_and_drain<send_late, take>(&worker); });
  }
  for (const auto& worker : workers) {
    while (!worker.ready) std::this_thread::yield();
  }
  sender_is_in_turn = false;
  receiver_waits = false;  // it looked before the trial
  team.phase = Phase::running;
  while (!sender_is_in_turn) std::this_thread::yield();
  team.phase = Phase::stopping;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(lanes[kSender].counters.tx_packets.get(), 1U);
  EXPECT_EQ(lanes[kReceiver].counters.rx_packets.get(), 1U);
}

std::atomic<unsigned> left_over = 0;

unsigned take_left_over(Lane& lane, std::uint64_t /*now*/) noexcept {
  const unsigned came = left_over.exchange(0);
  lane.count_received(came, 0);
  return came;
}

unsigned idle(Lane& /*lane*/, std::uint64_t /*now*/) noexcept {
  return 0;
}

TEST(Loop, TakesWhatIsLeftOverBeforeItIsReady) {
  Lane used, gone;
  gone.gone = true;
  Team team;
  team.lanes = {&gone, &used};
  Worker worker;
  worker.lanes = team.lanes;
  worker.team = &team;
  left_over = 3;
  std::thread thread([&] { work_and_drain<idle, take_left_over>(&worker); });
  while (!worker.ready) std::this_thread::yield();
  EXPECT_EQ(left_over, 0U);
  EXPECT_EQ(used.counters.rx_packets.get(), 3U);
  EXPECT_EQ(gone.counters.rx_packets.get(), 0U);
  team.phase = Phase::stopping;
  thread.join();
}

unsigned take_one(Lane& lane, std::uint64_t /*now*/) noexcept {
  lane.count_received(1, 0);
  return 1;
}

TEST(Loop, DoesNotChargeTheAbsenceOfADeviceToItsPackets) {
  Lane lane;
  lane.burst = 32;
  lane.gone = true;
  Worker worker;
  worker.lanes = {&lane};
  auto now = rte_rdtsc();
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto soon_back = rte_rdtsc();
  now = visit_all<take_one, 1>(worker, now);
  lane.gone = false;
  now = visit_all<take_one, 1>(worker, now);
  EXPECT_GT(lane.counters.cycles.get(), 0U);
  EXPECT_LE(lane.counters.cycles.get(), now - soon_back);
}

}  // namespace
}  // namespace manactl::datapath::dpdk
