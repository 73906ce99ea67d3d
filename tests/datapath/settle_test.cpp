// SPDX-License-Identifier: MIT
#include "datapath/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Sample> counted(const std::vector<std::uint64_t>& packets) {
  std::vector<Sample> queues;
  for (const auto n : packets) {
    Sample queue;
    queue.seconds = 2;
    queue.packets = n;
    queue.bytes = n * 64;
    queues.push_back(queue);
  }
  return queues;
}

TEST(Settle, KeepsTheCountsOnWhichBothSidesAgree) {
  const auto settled = settle({}, counted({100, 50}), PortCount{150, 0, 0, {100, 50}});
  EXPECT_EQ(settled.total.packets, 150U);
  EXPECT_EQ(settled.total.bytes, 150U * 64);
  EXPECT_EQ(settled.total.seconds, 2);
  EXPECT_THAT(settled.notes, IsEmpty());
}

TEST(Settle, CountsSentPacketsOnlyWhenTheyAreCompleted) {
  const auto settled = settle({}, counted({100, 50}), PortCount{140, 3, 0, {95, 45}});
  EXPECT_EQ(settled.total.packets, 140U);
  EXPECT_EQ(settled.total.bytes, 140U * 64);
  EXPECT_EQ(settled.total.errors, 3U);
  EXPECT_EQ(settled.queues[0].packets, 95U);
  EXPECT_EQ(settled.queues[1].packets, 45U);
  EXPECT_THAT(settled.notes, ElementsAre(HasSubstr("10 packets were handed over but not")));
}

TEST(Settle, SaysSoWhenQueuesAndTotalCountDifferentThings) {
  const auto settled = settle({}, counted({100, 50}), PortCount{140, 0, 0, {0, 0}});
  EXPECT_EQ(settled.total.packets, 140U);
  EXPECT_EQ(settled.queues[0].packets, 100U);
  EXPECT_THAT(settled.notes, ElementsAre(HasSubstr("10 packets"), HasSubstr("the queues show")));
}

TEST(Settle, DistrustsATotalThatLeavesQueuesOut) {
  BenchPlan plan;
  plan.queues = 3;
  const auto settled = settle(plan, counted({10, 20, 30}), PortCount{30, 0, 0, {10, 20}});
  EXPECT_EQ(settled.total.packets, 60U);
  EXPECT_THAT(settled.notes, ElementsAre(HasSubstr("counts 2 queues only")));
}

TEST(Settle, KeepsReceivedPacketsAndTakesLossesFromTheDevice) {
  BenchPlan plan;
  plan.mode = Mode::rx;
  const auto settled = settle(plan, counted({100, 50}), PortCount{500, 2, 350, {400, 100}});
  EXPECT_EQ(settled.total.packets, 150U);
  EXPECT_EQ(settled.total.missed, 350U);
  EXPECT_EQ(settled.total.errors, 2U);
  EXPECT_THAT(settled.notes, IsEmpty());
}

TEST(Settle, GivesTheLossesToTheOnlyQueue) {
  BenchPlan plan;
  plan.mode = Mode::rx;
  const auto settled = settle(plan, counted({100}), PortCount{100, 2, 7, {100}});
  EXPECT_EQ(settled.queues[0].missed, 7U);
  EXPECT_EQ(settled.queues[0].errors, 2U);
}

TEST(Settle, SaysThatLossesAreUnknownWithoutStatistics) {
  const auto settled = settle({}, counted({100}), std::nullopt);
  EXPECT_EQ(settled.total.packets, 100U);
  EXPECT_THAT(settled.notes, ElementsAre(HasSubstr("no statistics")));
}

}  // namespace
}  // namespace manactl::datapath
