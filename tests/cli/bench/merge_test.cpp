// SPDX-License-Identifier: MIT

#include "cli/bench/merge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/bench/sample_results.h"
#include "cli/run_manactl.h"

namespace manactl::cli {
namespace {

using datapath::Mode;
using nlohmann::json;
using test::steady;
using testing::HasSubstr;

TEST(Merge, TellsWhatWasLost) {
  const auto sender = steady(Mode::tx, 1e6);
  const auto receiver = steady(Mode::rx, 0.9e6);
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged) << merged.error().message;
  EXPECT_TRUE(merged->covered);
  EXPECT_DOUBLE_EQ(merged->overlap, 10);
  EXPECT_NEAR(merged->loss.value(), 0.1, 1e-5);
}

TEST(Merge, KnowsNoLossWhenTheReceiverWasLate) {
  const auto sender = steady(Mode::tx, 1e6);
  auto receiver = steady(Mode::rx, 1e6);
  receiver.began.front() += 4;
  receiver.ended += 4;
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged);
  EXPECT_FALSE(merged->covered);
  EXPECT_DOUBLE_EQ(merged->overlap, 6);
  EXPECT_EQ(merged->loss, std::nullopt);
}

TEST(Merge, LosesNothingWhenMoreArrivesThanWasSent) {
  EXPECT_EQ(merge(steady(Mode::tx, 1e6), steady(Mode::rx, 2e6))->loss, 0);
}

TEST(Merge, TellsHowEvenlyQueuesWereUsed) {
  const auto sender = steady(Mode::tx, 1e6);
  auto receiver = steady(Mode::rx, 1e6);
  auto& queues = receiver.report.trials.front().queues;
  queues[0].rx.packets = 100;
  queues[1].rx.packets = 300;
  const auto merged = merge(sender, receiver);
  ASSERT_TRUE(merged);
  EXPECT_NEAR(merged->sent_by.least, 0.5, 1e-5);
  EXPECT_DOUBLE_EQ(merged->received_by.least, 0.25);
  EXPECT_DOUBLE_EQ(merged->received_by.most, 0.75);
  EXPECT_DOUBLE_EQ(merged->received_by.variation, 0.5);
}

TEST(Merge, RefusesWhatDoesNotBelongTogether) {
  const auto sender = steady(Mode::tx, 1e6);
  const auto receiver = steady(Mode::rx, 1e6);
  EXPECT_THAT(merge(receiver, receiver).error().message, HasSubstr("of rx, no sender"));
  EXPECT_THAT(merge(sender, sender).error().message, HasSubstr("of tx, no receiver"));
  auto later = receiver;
  later.began.front() += 100;
  later.ended += 100;
  EXPECT_THAT(merge(sender, later).error().message, HasSubstr("at the same time"));
  auto larger = receiver;
  larger.report.trials.front().total.rx.bytes *= 2;
  EXPECT_THAT(merge(sender, larger).error().message, HasSubstr("128.0 bytes"));
}

class MergeCommand : public testing::Test {
 protected:
  std::vector<std::string> words(double sent, double received) const {
    return {"bench",
            "merge",
            directory_.file("tx.json", test::document(steady(Mode::tx, sent))),
            directory_.file("rx.json", test::document(steady(Mode::rx, received)))};
  }

  test::TemporaryDirectory directory_;
};

TEST_F(MergeCommand, EndsWithOneWhenMoreIsLostThanMayBe) {
  auto call = words(1e6, 0.9e6);
  EXPECT_EQ(test::manactl(call).code, 0);
  call.insert(call.end(), {"--max-loss", "11%"});
  EXPECT_EQ(test::manactl(call).code, 0);
  call.back() = "9%";
  const auto outcome = test::manactl(call);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("10.0000 % lost"));
}

TEST_F(MergeCommand, AnswersInJson) {
  auto call = words(1e6, 0.9e6);
  call.emplace_back("--json");
  const auto answer = json::parse(test::manactl(call).out);
  EXPECT_EQ(answer["schema"], "manactl.bench-merge/1");
  EXPECT_NEAR(answer["loss"].get<double>(), 0.1, 1e-5);
  EXPECT_EQ(answer["sender"]["ports"][0]["driver"], "net_null");
  EXPECT_EQ(answer["receiver"]["queues"].size(), 2U);
  EXPECT_NEAR(answer["receiver"]["spread"]["most"].get<double>(), 0.5, 1e-5);
}

TEST_F(MergeCommand, AnswersWithAPage) {
  auto call = words(1e6, 0.9e6);
  call.insert(call.end(), {"-o", "html", "--max-loss", "9%"});
  const auto outcome = test::manactl(call);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("<h1>10.0000 % lost</h1>"));
  EXPECT_THAT(outcome.out, HasSubstr("<th scope=\"row\">received</th><td>rx on "));
  EXPECT_THAT(outcome.out, HasSubstr("</html>"));
}

TEST_F(MergeCommand, RefusesInOneLine) {
  auto swapped = words(1e6, 1e6);
  std::swap(swapped[2], swapped[3]);
  for (const auto& call : {swapped,
                           std::vector<std::string>{"bench", "merge"},
                           std::vector<std::string>{"bench", "merge", swapped[2]},
                           std::vector<std::string>{"bench", "merge", swapped[2], "/nowhere"}}) {
    const auto outcome = test::manactl(call);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(outcome.error_lines(), 1U) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("bench merge: "));
  }
}

}  // namespace
}  // namespace manactl::cli
