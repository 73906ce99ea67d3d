// SPDX-License-Identifier: MIT
#include "datapath/measure/drain.h"

#include <gtest/gtest.h>

#include <functional>

#include "datapath/measure/counters.h"

namespace manactl::datapath::drain_test {
namespace {

struct FakeLane {
  Counters counters;
};

// A clock that advances with every reading, and a lane with scripted packets.
struct FakeNetwork {
  FakeLane lane;
  std::vector<FakeLane*> lanes = {&lane};
  std::atomic<unsigned> busy = 0;
  std::uint64_t time = 0, step = 1;
  unsigned turns = 0;

  explicit FakeNetwork(unsigned sent) { lane.counters.tx_packets.add(sent); }

  void drain(std::int64_t before,
             std::uint64_t idle,
             const std::function<unsigned(std::uint64_t now)>& receive) {
    datapath::drain(
        DrainScope<FakeLane>{lanes, lanes, busy, before},
        DrainLimits{idle, 3 * idle},
        [this] { return time += step; },
        [&](FakeLane& at, std::uint64_t now) {
          ++turns;
          const auto count = receive(now);
          at.counters.rx_packets.add(count);
          return count;
        });
  }
};

TEST(Drain, EndsWhenAllPacketsHaveReturned) {
  FakeNetwork network(10);
  network.drain(0, 100, [](auto) { return 5U; });
  EXPECT_EQ(network.turns, 2U);
}

TEST(Drain, DoesNotWaitForEarlierLosses) {
  FakeNetwork network(10);
  network.drain(4, 100, [](auto) { return 3U; });
  EXPECT_EQ(network.turns, 2U);
}

TEST(Drain, ContinuesWhileOthersSend) {
  FakeNetwork network(1);
  network.busy = 1;
  network.drain(0, 10, [&](auto now) {
    if (now == 1000) network.busy = 0;
    return now == 1000 ? 1U : 0U;
  });
  EXPECT_EQ(network.lane.counters.rx_packets.get(), 1U);
}

TEST(Drain, WaitsForLatePackets) {
  FakeNetwork network(2);
  network.drain(0, 100, [](auto now) { return now == 60 || now == 150 ? 1U : 0U; });
  EXPECT_EQ(network.lane.counters.rx_packets.get(), 2U);
}

TEST(Drain, EndsAfterTheIdleLimit) {
  FakeNetwork network(2);
  network.drain(0, 100, [](auto) { return 0U; });
  EXPECT_GE(network.time, 100U);
  EXPECT_LE(network.time, 102U);
}

TEST(Drain, EndsAfterTheTotalLimitUnderConstantTraffic) {
  FakeNetwork network(1);
  network.lane.counters.tx_packets.add(1'000'000);
  network.drain(0, 100, [](auto) { return 1U; });
  EXPECT_GE(network.time, 300U);
  EXPECT_LE(network.time, 302U);
}

TEST(Drain, ReceivesWaitingPacketsAfterPreemption) {
  FakeNetwork network(50);
  network.step = 1000;
  network.drain(0, 100, [](auto) { return 1U; });
  EXPECT_EQ(network.lane.counters.rx_packets.get(), 50U);
}

// A worker that was preempted between two polls has not seen an idle device.
TEST(Drain, DoesNotMistakePreemptionForAnIdleDevice) {
  FakeNetwork network(50);
  network.step = 1000;
  network.drain(0, 100, [&](auto) { return network.turns % 10 == 0 ? 1U : 0U; });
  EXPECT_GT(network.lane.counters.rx_packets.get(), 5U);
  const auto turns = network.turns;
  network.drain(0, 100, [](auto) { return 0U; });
  EXPECT_EQ(network.turns - turns, 64U);
}

TEST(Leftovers, AreDiscardedFromEveryLane) {
  FakeLane first, second;
  std::vector<FakeLane*> served;
  unsigned held = 1000;
  discard_leftovers(std::vector{&first, &second}, [&](FakeLane& at, std::uint64_t) {
    served.push_back(&at);
    if (&at != &second || held == 0) return 0U;
    --held;
    return 1U;
  });
  EXPECT_EQ(held, 0U);
  EXPECT_EQ(served.front(), &first);
}

TEST(Leftovers, AreLimitedUnderConstantTraffic) {
  FakeLane lane;
  constexpr unsigned kBurst = 256, kForEver = 1'000'000;
  unsigned taken = 0;
  discard_leftovers(std::vector{&lane}, [&](FakeLane&, std::uint64_t) {
    taken += kBurst;
    return taken < kForEver ? kBurst : 0U;
  });
  EXPECT_EQ(taken, 16384U);
}

}  // namespace
}  // namespace manactl::datapath::drain_test
