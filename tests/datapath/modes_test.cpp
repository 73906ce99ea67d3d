// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "datapath/engines.h"
#include "datapath/in_child.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath::modes_test {
namespace {

using testing::HasSubstr;

// A late queue may catch up by at most two bursts (2 * 32 packets), because 1 ms allows fewer.
constexpr double kDepth = 64;

double max_packets(const BenchPlan& plan, const Trial& trial) {
  const auto ramp = plan.trial.ramp_seconds;
  return plan.trial.rate->value * (trial.total.seconds - ramp / 2) + plan.queues * kDepth;
}

class PacedTraffic : public testing::TestWithParam<std::uint16_t> {};

TEST_P(PacedTraffic, NeverExceedsTheRate) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", GetParam());
    plan.trial.rate = Rate{Rate::Unit::packets, 20'000};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& trial = report->trials.front();
    for (const auto& queue : trial.queues) EXPECT_GT(queue.tx.packets, 0U);
    EXPECT_LE(static_cast<double>(trial.total.tx.packets), max_packets(plan, trial));
  }));
}

INSTANTIATE_TEST_SUITE_P(Queues, PacedTraffic, testing::Values(1, 4));

TEST(PacedTrafficOfASession, RampsUpAndIsSetForEachTrial) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0");
    auto engine = kDpdkEngine.make();
    ASSERT_TRUE(engine.has_value());
    const auto session = (*engine)->open(plan);
    ASSERT_TRUE(session.has_value()) << session.error().message;

    const auto unlimited = (*session)->run(plan.trial, {}, {});
    ASSERT_TRUE(unlimited.has_value());
    plan.trial.rate = Rate{Rate::Unit::bits, 64 * 8 * 10'000};
    plan.trial.ramp_seconds = 0.29;
    const auto paced = (*session)->run(plan.trial, {}, {});
    ASSERT_TRUE(paced.has_value());
    EXPECT_LE(static_cast<double>(paced->total.tx.packets),
              10'000 * (paced->total.seconds - 0.145) + kDepth);
    EXPECT_GT(paced->total.tx.packets, 0U);

    plan.trial.rate = Rate{Rate::Unit::percent, 50};
    const auto share = (*session)->run(plan.trial, {}, {});
    ASSERT_FALSE(share.has_value());
    EXPECT_EQ(share.error().code, Errc::invalid);
    EXPECT_THAT(share.error().message, HasSubstr("the link speed is unknown"));
    EXPECT_GT(unlimited->total.tx.packets, 10 * paced->total.tx.packets);
  }));
}

TEST(TxRx, ReceivesWhatALoopReturns) {
  EXPECT_TRUE(in_child([] {
    const auto report = run(short_plan(Mode::txrx, "net_ring0"));
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& total = report->trials.front().total;
    EXPECT_GT(total.rx.packets, 0U);
    EXPECT_LE(total.rx.packets, total.tx.packets);
    EXPECT_EQ(total.rx.bytes, total.rx.packets * 64);
    EXPECT_EQ(total.tx.bytes, total.tx.packets * 64);
  }));
}

TEST(TxRx, KeepsSizesAndFlowsInALoop) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::txrx, "net_ring0");
    plan.traffic.sizes = {{64, 1}, {128, 1}};
    plan.traffic.flows = 3;
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    const auto& total = report->trials.front().total;
    ASSERT_GT(total.rx.packets, 2U);
    // Frames of 64 and 128 bytes alternate: an odd last frame differs from their mean by 32 bytes.
    EXPECT_NEAR(
        static_cast<double>(total.rx.bytes), 96.0 * static_cast<double>(total.rx.packets), 32.0);
    EXPECT_NEAR(
        static_cast<double>(total.tx.bytes), 96.0 * static_cast<double>(total.tx.packets), 32.0);
  }));
}

TEST(Fwd, SendsOutOfTheOtherPortOfAPair) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::fwd, "net_null0", 2);
    plan.vdevs = {"net_null0,size=100", "net_ring0", "net_null2"};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    ASSERT_EQ(report->ports.size(), 3U);
    EXPECT_EQ(report->ports[0].device, "net_null0");
    EXPECT_EQ(report->ports[1].driver, "net_ring");
    const auto& queues = report->trials.front().queues;
    ASSERT_EQ(queues.size(), 6U);
    for (const unsigned queue : {0U, 1U}) {
      const auto& null = queues[queue];
      const auto& ring = queues[2 + queue];
      const auto& unpaired = queues[4 + queue];
      EXPECT_GT(null.rx.packets, 0U);
      // The first port sends the packets that the ring returns; the ring may still hold some.
      EXPECT_GT(ring.tx.packets, 0U);
      EXPECT_EQ(ring.tx.packets + *ring.tx.missed, null.rx.packets);
      EXPECT_LE(ring.rx.packets, ring.tx.packets);
      EXPECT_EQ(null.tx.packets, ring.rx.packets);
      EXPECT_EQ(null.tx.bytes, null.tx.packets * 104);
      EXPECT_EQ(unpaired.tx.packets, unpaired.rx.packets);
      EXPECT_GT(unpaired.tx.packets, 0U);
    }
  }));
}

TEST(Effort, CountsEveryPollOfADevice) {
  EXPECT_TRUE(in_child([] {
    const auto busy = run(short_plan(Mode::rx, "net_null0"));
    ASSERT_TRUE(busy.has_value()) << busy.error().message;
    const auto& effort = busy->trials.front().total.effort;
    EXPECT_GT(effort.polls, 0U);
    EXPECT_EQ(effort.empty_polls, 0U);
    EXPECT_EQ(effort.full_bursts, effort.polls);
    EXPECT_EQ(busy->trials.front().total.rx.packets, effort.polls * 32);
    EXPECT_GT(effort.cycles, 0U);
  }));
  EXPECT_TRUE(in_child([] {
    const auto idle = run(short_plan(Mode::rx, "net_ring0"));
    ASSERT_TRUE(idle.has_value()) << idle.error().message;
    const auto& effort = idle->trials.front().total.effort;
    EXPECT_GT(effort.polls, 0U);
    EXPECT_EQ(effort.empty_polls, effort.polls);
    EXPECT_EQ(effort.full_bursts, 0U);
    EXPECT_EQ(effort.cycles, 0U);
  }));
}

TEST(Ports, OfAllDevicesHaveTheSameQueues) {
  EXPECT_TRUE(in_child([] {
    auto plan = short_plan(Mode::tx, "net_null0", 2);
    plan.vdevs = {"net_null7", "net_null3", "net_null5"};
    const auto report = run(plan);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    ASSERT_EQ(report->ports.size(), 3U);
    EXPECT_EQ(report->ports[0].device, "net_null7");
    EXPECT_EQ(report->ports[2].device, "net_null5");
    EXPECT_EQ(report->ports[0].link_mbps, 0U);
    const auto& trial = report->trials.front();
    ASSERT_EQ(trial.queues.size(), 6U);
    std::uint64_t sum = 0;
    for (const auto& queue : trial.queues) {
      EXPECT_GT(queue.tx.packets, 0U);
      sum += queue.tx.packets;
    }
    EXPECT_EQ(sum, trial.total.tx.packets);
  }));
}

}  // namespace
}  // namespace manactl::datapath::modes_test
