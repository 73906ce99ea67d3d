// SPDX-License-Identifier: MIT
//
// Tests of packets that arrive between two trials, on rings that return sent packets.
#include <gtest/gtest.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/traffic/frame.h"

namespace manactl::datapath::leftovers_test {
namespace {

constexpr unsigned kLate = 100;  // more than the packets in flight at the end of a trial
constexpr std::uint16_t kQueues = 2, kBytes = 124, kDataRoom = RTE_PKTMBUF_HEADROOM + kBytes;

// Puts kLate packets into the ring of the last queue.
void send_late() {
  auto* pool = rte_mempool_lookup("late");
  if (pool == nullptr) {
    pool = rte_pktmbuf_pool_create("late", 127, 0, 0, kDataRoom, SOCKET_ID_ANY);
  }
  ASSERT_NE(pool, nullptr);
  for (unsigned i = 0; i < kLate; ++i) {
    auto* packet = rte_pktmbuf_alloc(pool);
    ASSERT_NE(packet, nullptr);
    ASSERT_NE(rte_pktmbuf_append(packet, kBytes), nullptr);
    ASSERT_EQ(rte_eth_tx_burst(0, kQueues - 1, &packet, 1), 1U);
  }
}

struct Trials {
  Trial after;   // kLate packets arrived before this trial
  Trial during;  // kLate packets arrived during this trial
};

Trials run_trials(Mode mode) {
  auto plan = short_plan(mode, "net_ring0", kQueues);
  plan.traffic.sizes.front().bytes = kBytes + kFcsBytes;
  const auto engine = kDpdkEngine.make().value();
  const auto session = engine->open(plan).value();
  Trials trials;
  EXPECT_TRUE(session->run(plan.trial, {}, {}).has_value());
  send_late();
  trials.after = session->run(plan.trial, {}, {}).value();
  plan.trial.rate = Rate{Rate::Unit::packets, 10'000};  // leaves space for late packets
  Progress progress;
  progress.started = send_late;
  trials.during = session->run(plan.trial, {}, progress).value();
  return trials;
}

TEST(TxRxOfASession, DiscardsLatePacketsOfThePreviousTrial) {
  EXPECT_TRUE(in_child([] {
    const auto trials = run_trials(Mode::txrx);
    EXPECT_GT(trials.after.total.tx.packets, 0U);
    EXPECT_EQ(trials.after.total.rx.packets, trials.after.total.tx.packets);
    EXPECT_GT(trials.during.total.rx.packets, trials.during.total.tx.packets);
  }));
}

TEST(RoundTripsOfASession, DiscardLateRepliesOfThePreviousTrial) {
  EXPECT_TRUE(in_child([] {
    const auto trials = run_trials(Mode::rtt);
    EXPECT_GT(trials.after.total.tx.packets, 0U);
    EXPECT_EQ(trials.after.total.rx.packets, trials.after.total.tx.packets);
    EXPECT_EQ(trials.after.replies.unrelated, 0U);
    EXPECT_EQ(trials.during.replies.unrelated, kLate);
  }));
}

}  // namespace
}  // namespace manactl::datapath::leftovers_test
