// SPDX-License-Identifier: MIT
#include "datapath/measure/settle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::datapath::settle_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Trial counted(const std::vector<std::uint64_t>& packets, Count Sample::* direction = &Sample::tx) {
  Trial trial;
  trial.total.seconds = 2;
  for (const auto n : packets) {
    auto& queue = trial.queues.emplace_back();
    queue.seconds = 2;
    (queue.*direction).packets = n;
    (queue.*direction).bytes = n * 64;
    trial.total += queue;
  }
  return trial;
}

PortCount sent(std::uint64_t packets, std::uint64_t errors, std::vector<std::uint64_t> queues) {
  PortCount count;
  count.tx = {packets, errors, std::move(queues)};
  return count;
}

PortCount received(std::uint64_t missed, std::uint64_t no_buffer, std::uint64_t errors) {
  PortCount count;
  count.rx.errors = errors;
  count.rx_missed = missed;
  count.rx_no_buffer = no_buffer;
  return count;
}

TEST(Settle, KeepsCountsThatAgreeWithTheDevice) {
  auto trial = counted({100, 50});
  settle(Mode::tx, 2, {sent(150, 0, {100, 50})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 150U);
  EXPECT_EQ(trial.total.tx.bytes, 150U * 64);
  EXPECT_EQ(trial.total.seconds, 2);
  EXPECT_THAT(trial.notes, IsEmpty());
}

TEST(Settle, KeepsTheCountsOfTheWorkersIfTheDriverLostItsOwn) {
  auto trial = counted({100, 50});
  auto nothing = sent(0, 0, {0, 0});
  nothing.is_reset = true;
  settle(Mode::fwd, 2, {nothing}, trial);
  EXPECT_EQ(trial.total.tx.packets, 150U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("counters were lost")));
}

TEST(Settle, CountsOnlyCompletedPacketsAsSent) {
  auto trial = counted({100, 50});
  settle(Mode::tx, 2, {sent(140, 3, {95, 45})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 140U);
  EXPECT_EQ(trial.total.tx.bytes, 140U * 64);
  EXPECT_EQ(trial.total.tx.errors, 3U);
  EXPECT_EQ(trial.queues[0].tx.packets, 95U);
  EXPECT_EQ(trial.queues[1].tx.packets, 45U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("7 packets were posted but not"))) << "3 failed";
}

TEST(Settle, HasNoNoteAboutPacketsThatFailed) {
  auto trial = counted({100});
  settle(Mode::tx, 1, {sent(0, 100, {0})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 0U);
  EXPECT_EQ(trial.total.tx.errors, 100U);
  EXPECT_THAT(trial.notes, IsEmpty());
}

TEST(ExcludeFailed, RemovesPacketsThatCompletedWithAnError) {
  Count count{1000, 64'000, 0, 0, 100};
  exclude_failed(count);
  EXPECT_EQ(count.packets, 900U);
  EXPECT_EQ(count.bytes, 57'600U);
  EXPECT_EQ(count.errors, 100U);
}

// net_ring counts a rejected packet as an error, too.
TEST(ExcludeFailed, KeepsPacketsIfTheErrorsAreRejectedPackets) {
  for (const std::uint64_t errors : {100'000U, 100'900U}) {
    Count count{1000, 64'000, 100'000, 0, errors};
    exclude_failed(count);
    EXPECT_EQ(count.packets, 1000U) << errors;
  }
  Count unknown{1000, 64'000, 0, 0, std::nullopt};
  exclude_failed(unknown);
  EXPECT_EQ(unknown.packets, 1000U);
}

TEST(Settle, NotesThatQueuesAndTotalDiffer) {
  auto trial = counted({100, 50});
  settle(Mode::tx, 2, {sent(140, 0, {0, 0})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 140U);
  EXPECT_EQ(trial.queues[0].tx.packets, 100U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("10 packets"), HasSubstr("queues count posted")));
}

TEST(Settle, IgnoresATotalThatLacksQueues) {
  auto trial = counted({10, 20, 30});
  settle(Mode::tx, 3, {sent(30, 0, {10, 20})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 60U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("has counters for only 2 queues")));
}

TEST(Settle, KeepsReceivedPacketsAndReadsLossesFromTheDevice) {
  auto trial = counted({100, 50}, &Sample::rx);
  settle(Mode::rx, 2, {received(350, 4, 2)}, trial);
  EXPECT_EQ(trial.total.rx.packets, 150U);
  EXPECT_EQ(trial.total.rx.missed, 350U);
  EXPECT_EQ(trial.total.rx.no_buffer, 4U);
  EXPECT_EQ(trial.total.rx.errors, 2U);
  EXPECT_THAT(trial.notes, IsEmpty());
}

TEST(Settle, LeavesLossesUnknownIfTheDriverHasNoStatistics) {
  auto trial = counted({100, 50}, &Sample::rx);
  settle(Mode::rx, 1, {received(7, 0, 2), std::nullopt}, trial);
  EXPECT_EQ(trial.total.rx.packets, 150U);
  EXPECT_EQ(trial.queues[0].rx.missed, 7U);
  EXPECT_FALSE(trial.total.rx.missed) << "the other port may have missed packets";
  EXPECT_FALSE(trial.total.rx.no_buffer);
  EXPECT_FALSE(trial.total.rx.errors);
}

TEST(Settle, AssignsLossesToTheOnlyQueue) {
  auto trial = counted({100}, &Sample::rx);
  settle(Mode::rx, 1, {received(7, 0, 2)}, trial);
  EXPECT_EQ(trial.queues[0].rx.missed, 7U);
  EXPECT_EQ(trial.queues[0].rx.errors, 2U);
}

TEST(Settle, AddsUpPortsAndNamesThePortInNotes) {
  auto trial = counted({100, 50});
  settle(Mode::tx, 1, {sent(100, 1, {100}), sent(40, 2, {40})}, trial);
  EXPECT_EQ(trial.total.tx.packets, 140U);
  EXPECT_EQ(trial.total.tx.errors, 3U);
  EXPECT_EQ(trial.queues[1].tx.packets, 40U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("port 1: 8 packets")));
}

TEST(Settle, NotesThatPacketLossIsUnknownWithoutStatistics) {
  auto trial = counted({100});
  settle(Mode::tx, 1, {std::nullopt}, trial);
  EXPECT_EQ(trial.total.tx.packets, 100U);
  EXPECT_THAT(trial.notes, ElementsAre(HasSubstr("no statistics")));
}

}  // namespace
}  // namespace manactl::datapath::settle_test
