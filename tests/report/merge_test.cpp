// SPDX-License-Identifier: MIT

#include "report/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_results.h"

namespace manactl::report::merge_test {
namespace {

using datapath::Mode;
using test::connected;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(Merge, ComputesTheLoss) {
  const auto sender = connected(Mode::tx, 1e6);
  const auto receiver = connected(Mode::rx, 0.9e6);
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_TRUE(merged->covered);
  EXPECT_DOUBLE_EQ(merged->overlap, 10);
  EXPECT_NEAR(merged->loss.value(), 0.1, 1e-5);
}

TEST(Merge, ReportsNoLossWhenTheReceiverStartedLate) {
  const auto sender = connected(Mode::tx, 1e6);
  auto receiver = connected(Mode::rx, 1e6);
  receiver.trial_starts.front() += 4;
  receiver.ended += 4;
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged);
  EXPECT_FALSE(merged->covered);
  EXPECT_DOUBLE_EQ(merged->overlap, 6);
  EXPECT_EQ(merged->loss, std::nullopt);
}

TEST(Merge, HasNoLossWhenMoreWasReceivedThanSent) {
  const auto sender = connected(Mode::tx, 1e6);
  const auto receiver = connected(Mode::rx, 2e6);
  auto merged = *merge(sender, receiver);
  EXPECT_EQ(merged.loss, std::nullopt);
  EXPECT_EQ(verdict_of(merged), "loss unknown");
  merged.max_loss = 0.001;
  EXPECT_TRUE(merged.exceeds_max_loss());
  EXPECT_EQ(verdict_of(merged), "loss unknown, which fails the limit of 0.1 %");
  EXPECT_THAT(remarks_on(merged), ElementsAre(HasSubstr("so the loss is unknown")));
}

// The result keeps some trials of the search; the receiver has counted the packets of all.
TEST(Merge, HasTheResultOfASearchAndNoLoss) {
  auto sender = connected(Mode::txrx, 1e6);
  EXPECT_EQ(end_text(sender), "1.000 Mpps (95 % CI: 0.996 to 1.004 Mpps) in 10.0 s");
  sender.search.emplace();
  sender.search->found = {{0, 4e5, 4.01e5, true, 4e5, datapath::GoalResult::End::narrow}};
  const auto receiver = connected(Mode::rx, 0.9e6);
  const auto merged = merge(sender, receiver);
  EXPECT_EQ(merged->loss, std::nullopt);
  EXPECT_THAT(remarks_on(*merged), ElementsAre(HasSubstr("without --find")));
  EXPECT_EQ(end_text(sender), "ndr 400 kpps");
  const auto document = nlohmann::json::parse(merge_json(*merged, "0.1.0", 0));
  EXPECT_EQ(document["sender"]["packets_per_second"], 4e5);
  EXPECT_EQ(document["sender"]["found"], "ndr 400 kpps");
  EXPECT_TRUE(document["receiver"]["found"].is_null());
}

TEST(Merge, NamesStrayPacketsThatHideLostOnes) {
  auto receiver = connected(Mode::rx, 1e6);
  auto& intervals = receiver.report.trials.front().intervals;
  for (const std::uint64_t strays : {0U, 57U}) {
    intervals.insert(intervals.begin(), datapath::Interval());
    intervals.front().total.seconds = 1;
    intervals.front().total.rx.packets = strays;
  }
  const auto sender = connected(Mode::tx, 1e6);
  EXPECT_THAT(remarks_on(*merge(sender, receiver)),
              ElementsAre(HasSubstr("57 of the received packets are strays, such as ARP")));
}

// Strays during the traffic are known only by the excess. They once made the loss unknown.
TEST(Merge, KnowsTheLossDespiteAFewMoreReceivedPackets) {
  const auto sender = connected(Mode::tx, 1e6);
  auto receiver = connected(Mode::rx, 1e6);
  receiver.report.trials.front().total.rx.packets += 6;
  const auto few = merge(sender, receiver);
  EXPECT_EQ(few->loss, 0);
  EXPECT_THAT(remarks_on(*few), ElementsAre(HasSubstr("6 of the received packets are strays")));
  EXPECT_EQ(verdict_of(*few), "at most 7.2e-05 % lost");
  receiver.report.trials.front().total.rx.packets += 2000;
  const auto many = merge(sender, receiver);
  EXPECT_FALSE(many->loss.has_value());
  EXPECT_THAT(remarks_on(*many), ElementsAre(HasSubstr("more packets were received than sent")));
}

TEST(Merge, RejectsResultsThatHaveNoPacketInCommon) {
  const auto sender = connected(Mode::tx, 1e6);
  const auto receiver = connected(Mode::rx, 1e6);
  auto simulated = receiver;
  simulated.simulated = true;
  EXPECT_THAT(merge(sender, simulated).error().message,
              HasSubstr("the second result is from a simulation, which exchanges no packets"));
  EXPECT_THAT(merge(test::steady(Mode::tx, 1e6), receiver).error().message,
              HasSubstr("the first result is from net_null, which exchanges no packets"));
}

TEST(Merge, ComputesTheSpreadOverTheQueues) {
  const auto sender = connected(Mode::tx, 1e6);
  auto receiver = connected(Mode::rx, 1e6);
  auto& queues = receiver.report.trials.front().queues;
  queues[0].rx.packets = 100;
  queues[1].rx.packets = 300;
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged);
  EXPECT_NEAR(merged->sent_by.min, 0.5, 1e-5);
  EXPECT_DOUBLE_EQ(merged->received_by.min, 0.25);
  EXPECT_DOUBLE_EQ(merged->received_by.max, 0.75);
  EXPECT_DOUBLE_EQ(merged->received_by.variation, 0.5);
}

TEST(Merge, RejectsResultsOfDifferentRuns) {
  const auto sender = connected(Mode::tx, 1e6);
  const auto receiver = connected(Mode::rx, 1e6);
  EXPECT_THAT(merge(receiver, receiver).error().message,
              HasSubstr("of mode rx, which does not send"));
  EXPECT_THAT(merge(sender, sender).error().message,
              HasSubstr("of mode tx, which does not receive"));
  auto later = receiver;
  later.trial_starts.front() += 100;
  later.ended += 100;
  EXPECT_THAT(merge(sender, later).error().message, HasSubstr("at the same time"));
  auto larger = receiver;
  larger.report.trials.front().total.rx.bytes *= 2;
  EXPECT_THAT(merge(sender, larger).error().message, HasSubstr("128.0 bytes"));
}

TEST(Merge, ExceedsTheLimitWhenTheLossIsHigherOrUnknown) {
  const auto sender = connected(Mode::tx, 1e6);
  const auto receiver = connected(Mode::rx, 0.9e6);
  auto merged = *merge(sender, receiver);
  EXPECT_FALSE(merged.exceeds_max_loss());
  merged.max_loss = 0.11;
  EXPECT_FALSE(merged.exceeds_max_loss());
  merged.max_loss = 0.09;
  EXPECT_TRUE(merged.exceeds_max_loss());
  merged.loss.reset();
  merged.max_loss = 0.11;
  EXPECT_TRUE(merged.exceeds_max_loss());
}

// Strays may replace lost packets. Such a result once passed with "0.0000 % lost".
TEST(Merge, JudgesTheLossThatStraysMayHide) {
  auto sender = connected(Mode::tx, 1e6);
  auto receiver = connected(Mode::rx, 1e6);
  sender.report.trials.front().total.tx.packets = 6131;
  receiver.report.trials.front().total.rx.packets = 6140;
  auto merged = *merge(sender, receiver);
  merged.max_loss = 0.001;
  EXPECT_TRUE(merged.exceeds_max_loss());
  EXPECT_EQ(verdict_of(merged), "at most 0.15 % lost, which may exceed the limit of 0.1 %");
  merged.max_loss = 0.002;
  EXPECT_FALSE(merged.exceeds_max_loss());
  merged.sent = 10'000;
  merged.received = 9000;
  merged.loss = 0.1;
  merged.strays = 100;
  EXPECT_EQ(verdict_of(merged), "10.0000 to 11.0000 % lost, which exceeds the limit of 0.2 %");
}

// The text was once "0.2000 to 0.2000 % lost".
TEST(Merge, PrintsOneLossIfTheStraysDoNotShow) {
  const auto sender = connected(Mode::tx, 1e6);
  auto receiver = connected(Mode::rx, 0.9e6);
  auto merged = *merge(sender, receiver);
  merged.strays = 1;
  EXPECT_GT(*merged.max_possible_loss(), *merged.loss);
  EXPECT_EQ(loss_of(merged), "10.0000 %");
}

}  // namespace
}  // namespace manactl::report::merge_test
