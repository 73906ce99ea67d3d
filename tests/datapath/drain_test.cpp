// SPDX-License-Identifier: MIT
#include "datapath/drain.h"

#include <gtest/gtest.h>

#include <functional>

#include "datapath/counters.h"

namespace manactl::datapath {
namespace {

struct FakeLane {
  Counters counters;
};

// A clock that goes on by one with every reading, and a lane whose packets come as told.
struct Wire {
  FakeLane lane;
  std::vector<FakeLane*> lanes = {&lane};
  std::atomic<unsigned> busy = 0;
  std::uint64_t time = 0, step = 1;
  unsigned turns = 0;

  explicit Wire(unsigned sent) { lane.counters.tx_packets.add(sent); }

  void drain(std::int64_t before,
             std::uint64_t patience,
             const std::function<unsigned(std::uint64_t now)>& come) {
    datapath::drain(
        Late<FakeLane>{lanes, lanes, busy, before},
        Patience{patience, 3 * patience},
        [this] { return time += step; },
        [&](FakeLane& at, std::uint64_t now) {
          ++turns;
          const auto count = come(now);
          at.counters.rx_packets.add(count);
          return count;
        });
  }
};

TEST(Drain, EndsWhenEverythingIsBack) {
  Wire wire(10);
  wire.drain(0, 100, [](auto) { return 5U; });
  EXPECT_EQ(wire.turns, 2U);
}

TEST(Drain, DoesNotWaitForWhatWasLostBefore) {
  Wire wire(10);
  wire.drain(4, 100, [](auto) { return 3U; });
  EXPECT_EQ(wire.turns, 2U);
}

TEST(Drain, GoesOnWhileOthersSend) {
  Wire wire(1);
  wire.busy = 1;
  wire.drain(0, 10, [&](auto now) {
    if (now == 1000) wire.busy = 0;
    return now == 1000 ? 1U : 0U;
  });
  EXPECT_EQ(wire.lane.counters.rx_packets.get(), 1U);
}

TEST(Drain, WaitsForTheLate) {
  Wire wire(2);
  wire.drain(0, 100, [](auto now) { return now == 60 || now == 150 ? 1U : 0U; });
  EXPECT_EQ(wire.lane.counters.rx_packets.get(), 2U);
}

TEST(Drain, GivesUpWhenNothingComes) {
  Wire wire(2);
  wire.drain(0, 100, [](auto) { return 0U; });
  EXPECT_GE(wire.time, 100U);
  EXPECT_LE(wire.time, 102U);
}

TEST(Drain, EndsThoughOthersSendForEver) {
  Wire wire(1);
  wire.lane.counters.tx_packets.add(1'000'000);
  wire.drain(0, 100, [](auto) { return 1U; });
  EXPECT_GE(wire.time, 300U);
  EXPECT_LE(wire.time, 302U);
}

TEST(Drain, TakesWhatIsThereThoughItWasKeptFromRunning) {
  Wire wire(50);
  wire.step = 1000;
  wire.drain(0, 100, [](auto) { return 1U; });
  EXPECT_EQ(wire.lane.counters.rx_packets.get(), 50U);
}

TEST(Leftovers, AreTakenFromEveryLane) {
  FakeLane first, second;
  std::vector<FakeLane*> served;
  unsigned held = 1000;
  take_leftovers(std::vector{&first, &second}, [&](FakeLane& at, std::uint64_t) {
    served.push_back(&at);
    if (&at != &second || held == 0) return 0U;
    --held;
    return 1U;
  });
  EXPECT_EQ(held, 0U);
  EXPECT_EQ(served.front(), &first);
}

TEST(Leftovers, EndThoughOthersSendForEver) {
  FakeLane lane;
  constexpr unsigned kBurst = 256, kForEver = 1'000'000;
  unsigned taken = 0;
  take_leftovers(std::vector{&lane}, [&](FakeLane&, std::uint64_t) {
    taken += kBurst;
    return taken < kForEver ? kBurst : 0U;
  });
  EXPECT_EQ(taken, 16384U);
}

}  // namespace
}  // namespace manactl::datapath
