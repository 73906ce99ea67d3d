// SPDX-License-Identifier: MIT
//
// Packets that come in between two trials, over rings that end where they begin.
#include <gtest/gtest.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include "datapath/frame.h"
#include "datapath/in_child.h"

namespace manactl::datapath {
namespace {

constexpr unsigned kLate = 100;  // more than the bursts on the way when a trial ends
constexpr std::uint16_t kQueues = 2, kBytes = 124, kRoom = RTE_PKTMBUF_HEADROOM + kBytes;

// They lie in the ring of the last queue.
void send_late() {
  auto* pool = rte_mempool_lookup("late");
  if (pool == nullptr) {
    pool = rte_pktmbuf_pool_create("late", 127, 0, 0, kRoom, SOCKET_ID_ANY);
  }
  ASSERT_NE(pool, nullptr);
  for (unsigned i = 0; i < kLate; ++i) {
    auto* packet = rte_pktmbuf_alloc(pool);
    ASSERT_NE(packet, nullptr);
    ASSERT_NE(rte_pktmbuf_append(packet, kBytes), nullptr);
    ASSERT_EQ(rte_eth_tx_burst(0, kQueues - 1, &packet, 1), 1U);
  }
}

// Of a trial that kLate packets come before, and of one in which they come.
struct Trials {
  Trial after, with;
};

Trials run_trials(Mode mode) {
  auto plan = short_plan(mode, "net_ring0", kQueues);
  plan.traffic.sizes.front().bytes = kBytes + kFcsBytes;
  const auto engine = make_engine().value();
  const auto session = engine->open(plan).value();
  Trials trials;
  EXPECT_TRUE(session->run(plan.trial, {}, {}).has_value());
  send_late();
  trials.after = session->run(plan.trial, {}, {}).value();
  plan.trial.rate = Rate{Rate::Unit::packets, 10'000};  // so that they are not always in the ring
  Progress progress;
  progress.started = send_late;
  trials.with = session->run(plan.trial, {}, progress).value();
  return trials;
}

TEST(TxRxOfASession, LeavesOutWhatCameTooLateForTheTrialBefore) {
  EXPECT_TRUE(in_child([] {
    const auto trials = run_trials(Mode::txrx);
    EXPECT_GT(trials.after.total.tx.packets, 0U);
    EXPECT_EQ(trials.after.total.rx.packets, trials.after.total.tx.packets);
    EXPECT_GT(trials.with.total.rx.packets, trials.with.total.tx.packets);
  }));
}

TEST(RoundTripsOfASession, LeaveOutWhatCameTooLateForTheTrialBefore) {
  EXPECT_TRUE(in_child([] {
    const auto trials = run_trials(Mode::rtt);
    EXPECT_GT(trials.after.total.tx.packets, 0U);
    EXPECT_EQ(trials.after.total.rx.packets, trials.after.total.tx.packets);
    EXPECT_EQ(trials.after.answers.strangers, 0U);
    EXPECT_EQ(trials.with.answers.strangers, kLate);
  }));
}

}  // namespace
}  // namespace manactl::datapath
