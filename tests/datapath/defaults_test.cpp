// SPDX-License-Identifier: MIT
//
// Tests the values that plans and results have before anything sets them. Most tests set the values
// that they need, so that they do not depend on the defaults.

#include <gtest/gtest.h>

#include <tuple>

#include "datapath/bench.h"
#include "datapath/plan/plan.h"

namespace manactl::datapath::defaults_test {
namespace {

auto fields(const Count& c) {
  return std::tie(c.packets, c.bytes, c.missed, c.no_buffer, c.errors);
}

auto fields(const Effort& e) {
  return std::tie(e.cycles, e.instructions, e.polls, e.empty_polls, e.full_bursts);
}

TEST(Defaults, OfAPlan) {
  const BenchPlan plan;
  EXPECT_EQ(plan.mode, Mode::tx);
  EXPECT_EQ(std::tie(plan.queues, plan.descriptors, plan.burst), std::tuple(1, 256, 32));
  EXPECT_TRUE(plan.hugepages);
  EXPECT_EQ(plan.traffic.sizes, (std::vector<SizeShare>{{64, 1}}));
  EXPECT_EQ(plan.traffic.flows, 1U);
  EXPECT_EQ(plan.traffic.destination, kAzurePeer);
  EXPECT_FALSE(plan.traffic.source_ip || plan.traffic.peer_ip);
  EXPECT_EQ(Nic{}.mtu, 0U);
}

TEST(Defaults, OfATrial) {
  const TrialPlan plan;
  EXPECT_EQ(std::tie(plan.seconds, plan.interval_seconds, plan.warmup_seconds, plan.ramp_seconds),
            std::tuple(10, 1, 0, 0));
  EXPECT_FALSE(plan.rate);
  EXPECT_EQ(Rate{}.unit, Rate::Unit::packets);
  EXPECT_EQ(Rate{}.value, 0);
}

TEST(Defaults, OfAResultAreZero) {
  const std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t> zero;
  const Trial trial;
  for (const auto& sample : {trial.total, Interval{}.total, Sample{}}) {
    EXPECT_EQ(sample.seconds, 0);
    EXPECT_EQ(fields(sample.tx), zero);
    EXPECT_EQ(fields(sample.rx), zero);
    EXPECT_EQ(fields(sample.effort), zero);
  }
  const PathCounters paths;
  EXPECT_EQ(std::tie(paths.tx.vf, paths.tx.synthetic, paths.rx.vf, paths.rx.synthetic),
            std::tuple(0, 0, 0, 0));
  EXPECT_EQ(std::tie(trial.replies.reordered, trial.replies.unrelated), std::tuple(0, 0));
  EXPECT_FALSE(trial.interrupted || Interval{}.disturbed);
  EXPECT_EQ(Event{}.at_seconds, 0);
  EXPECT_EQ(Event{}.kind, Event::Kind::removed);
  EXPECT_EQ(PortReport{}.link_mbps, 0U);
  const PoolSize pool;
  EXPECT_EQ(std::tie(pool.mbufs, pool.mbuf_bytes, pool.cache), std::tuple(0, 0, 0));
  EXPECT_EQ(std::tie(pool.ring_mbufs, pool.ring_cache, pool.ring_mbuf_bytes), std::tuple(0, 0, 0));
  EXPECT_EQ(pool.bytes, 0U);
  EXPECT_EQ(Placement{}.main_cpu, 0U);
  EXPECT_FALSE(Placement{}.shared);
}

}  // namespace
}  // namespace manactl::datapath::defaults_test
