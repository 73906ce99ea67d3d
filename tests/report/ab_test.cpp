// SPDX-License-Identifier: MIT

#include "report/ab.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "report/sample_results.h"

namespace manactl::report::ab_test {
namespace {

using nlohmann::json;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Returns a result of `rounds` rounds. B is `factor` times as fast as A, and varies by `noise`.
AbResult rounds_of(std::size_t rounds, double factor, double noise) {
  AbResult result;
  result.a.command = {"manactl", "bench", "--burst", "32"};
  result.b.command = {"manactl", "bench", "--burst", "64"};
  result.a.settings = {{"burst", "32"}, {"queues", "1"}};
  result.b.settings = {{"burst", "64"}, {"queues", "1"}};
  for (std::size_t i = 0; i < rounds; ++i) {
    const double rate = 1e7 * (1 + 0.1 * static_cast<double>(i));
    const double change = factor * (1 + noise * (static_cast<double>(i % 3) - 1));
    result.a.runs.push_back({rate, 100, std::nullopt});
    result.b.runs.push_back({rate * change, 100 / factor, std::nullopt});
  }
  return result;
}

TEST(AbComparison, JudgesTheRatioInsideTheRounds) {
  EXPECT_EQ(verdict_of(rounds_of(6, 0.95, 0.001)), Verdict::worse);
  EXPECT_EQ(verdict_of(rounds_of(6, 1.0, 0.001)), Verdict::same);
  EXPECT_EQ(verdict_of(rounds_of(6, 1.05, 0.001)), Verdict::better);
  EXPECT_EQ(verdict_of(rounds_of(6, 0.95, 0.2)), Verdict::inconclusive);
  EXPECT_EQ(verdict_of(rounds_of(5, 0.5, 0)), Verdict::inconclusive);
}

TEST(AbComparison, JudgesCostsInTheOppositeDirection) {
  for (const auto& [factor, verdict] : {std::pair(0.9, Verdict::worse), {1.1, Verdict::better}}) {
    auto result = rounds_of(6, factor, 0.5);
    result.plan.metric = Metric::cpu_time;
    EXPECT_EQ(verdict_of(result), verdict) << factor;
  }
}

// Runs whose workers were preempted once gave "better" with an interval from +0.12 % to +77.82 %.
TEST(AbComparison, NeedsALargerDifferenceIfTheRunsWereNoisy) {
  auto result = rounds_of(6, 1.05, 0.04);
  EXPECT_EQ(verdict_of(result), Verdict::better);
  for (auto& run : result.b.runs) run.is_noisy = true;
  EXPECT_EQ(verdict_of(result), Verdict::inconclusive);
  EXPECT_THAT(remarks_on(result), ElementsAre(HasSubstr("most runs were noisy")));
  auto large = rounds_of(6, 0.5, 0.04);
  for (auto& run : large.b.runs) run.is_noisy = true;
  EXPECT_EQ(verdict_of(large), Verdict::worse);
}

TEST(AbComparison, DoesNotJudgeARateThatWasRequested) {
  auto result = rounds_of(6, 1.0, 0.001);
  for (auto* side : {&result.a, &result.b}) {
    for (auto& run : side->runs) run.is_capped = true;
  }
  EXPECT_EQ(verdict_of(result), Verdict::inconclusive);
  EXPECT_THAT(remarks_on(result), ElementsAre(HasSubstr("omit --rate")));
  auto paced = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_FALSE(ab_figures(paced).is_capped);
  paced.report.ports = {{"net_null0", "net_null", "", {}, 0}};
  paced.plan.trial.rate = datapath::Rate{datapath::Rate::Unit::packets, 1e6};
  EXPECT_TRUE(ab_figures(paced).is_capped);
  paced.plan.trial.rate->value = 2e6;
  EXPECT_FALSE(ab_figures(paced).is_capped);
}

// A at 20 Mpps, which was requested, and B at 6.1 Mpps once had no verdict.
TEST(AbComparison, JudgesASideThatIsSlowerThanTheRequestedRate) {
  for (const auto& [factor, verdict] :
       {std::pair(0.3, Verdict::worse), {1.5, Verdict::inconclusive}}) {
    auto result = rounds_of(6, factor, 0.001);
    for (auto& run : result.a.runs) run.is_capped = true;
    EXPECT_EQ(verdict_of(result), verdict) << factor;
  }
}

TEST(AbComparison, NotesThatTheSidesHaveTheSameSettings) {
  auto result = rounds_of(6, 1.0, 0);
  EXPECT_THAT(remarks_on(result), IsEmpty());
  result.b.settings = result.a.settings;
  EXPECT_THAT(remarks_on(result),
              ElementsAre(HasSubstr("no setting in the results of A and B differs")));
  auto interrupted = result;
  interrupted.a.runs.clear();
  interrupted.b.runs.clear();
  EXPECT_THAT(remarks_on(interrupted), Not(Contains(HasSubstr("no setting"))));
  result.b.command.front() = "./other";
  EXPECT_THAT(remarks_on(result), IsEmpty());
}

// Rounds with equal rates; the sides lose these shares.
AbResult losing(double a, double b) {
  auto result = rounds_of(6, 1.0, 0.001);
  for (auto& run : result.a.runs) run.loss = a;
  for (auto& run : result.b.runs) run.loss = b;
  return result;
}

TEST(AbComparison, JudgesTheLossAtEqualRates) {
  EXPECT_EQ(verdict_of(losing(0, 0)), Verdict::same);
  EXPECT_THAT(remarks_on(losing(0, 0)), IsEmpty());
  EXPECT_EQ(verdict_of(losing(0, 0.05)), Verdict::worse);
  EXPECT_THAT(remarks_on(losing(0, 0.05)), ElementsAre("the loss differs: 0 % in A, 5 % in B"));
  EXPECT_EQ(verdict_of(losing(0.05, 0)), Verdict::better);
  EXPECT_EQ(verdict_of(losing(0, 0.01)), Verdict::same) << "below the threshold";
  auto faster = losing(0, 0.05);
  for (auto& run : faster.b.runs) *run.rate *= 1.5;
  EXPECT_EQ(verdict_of(faster), Verdict::worse);
  auto slower = losing(0.05, 0);
  for (auto& run : slower.b.runs) *run.rate *= 0.5;
  EXPECT_EQ(verdict_of(slower), Verdict::worse);
  auto capped = losing(0, 0.05);
  for (auto& run : capped.a.runs) run.is_capped = true;
  for (auto& run : capped.b.runs) run.is_capped = true;
  EXPECT_EQ(verdict_of(capped), Verdict::worse);
}

TEST(AbComparison, PrintsTheDeliveredShareAsJson) {
  const auto document = json::parse(ab_json(losing(0, 0.05), "0.1.0", 1));
  EXPECT_EQ(document["verdict"], "worse");
  const auto& metric = document["metrics"].back();
  EXPECT_EQ(metric["name"], "delivered");
  EXPECT_EQ(metric["a"], 1.0);
  EXPECT_NEAR(metric["change"].get<double>(), -0.05, 1e-9);
  EXPECT_NEAR(document["rounds"][0]["b"]["delivered_share"].get<double>(), 0.95, 1e-9);
  const auto unknown = json::parse(ab_json(rounds_of(6, 1, 0), "0.1.0", 0));
  EXPECT_TRUE(unknown["rounds"][0]["a"]["delivered_share"].is_null());
}

TEST(AbComparison, DoesNotJudgeTheLossOfASearch) {
  auto searched = test::steady(datapath::Mode::txrx, 1e6);
  for (auto& trial : searched.report.trials) trial.total.tx.packets = 2 * trial.total.rx.packets;
  EXPECT_EQ(ab_figures(searched).of(Metric::delivered), 0.5);
  datapath::GoalResult goal;
  goal.lower = goal.low = goal.upper = goal.high = 1e6;
  goal.end = datapath::GoalResult::End::narrow;
  searched.search.emplace().found = {goal};
  EXPECT_EQ(ab_figures(searched).of(Metric::delivered), std::nullopt);
}

TEST(AbProgress, ContainsRoundRatesChangeAndTimeLeft) {
  auto result = rounds_of(0, 1, 0);
  EXPECT_THAT(ab_progress(result, "A", 3), ElementsAre("round 1 of at most 10, run of A", " "));
  result.a.runs.push_back({1e7, 100, std::nullopt});
  EXPECT_THAT(ab_progress(result, "B", 1.5),
              ElementsAre("round 1 of at most 10, run of B; at most 29 s left",
                          "  last runs: A 10.000 Mpps;"));
  result.b.runs.push_back({1.1e7, 100, std::nullopt});
  EXPECT_THAT(ab_progress(result, "B", 4),
              ElementsAre("round 2 of at most 10, run of B; at most 36 s left",
                          "  last runs: A 10.000 Mpps; B 11.000 Mpps;",
                          "  all rounds: B +10.00 %"));
  EXPECT_THAT(ab_progress(rounds_of(6, 1.05, 0.001), "A", 12).back(),
              HasSubstr(" B +5.00 % (+4.90 to +5.11 %)"));
}

TEST(AbProgress, ContainsTheLossOfModesThatKnowIt) {
  auto result = rounds_of(0, 1, 0);
  result.a.runs.push_back(ab_figures(test::steady(datapath::Mode::tx, 1e6)));
  EXPECT_THAT(ab_progress(result, "B", 1).back(), Not(HasSubstr("lost")));
  auto echo = test::steady(datapath::Mode::txrx, 1e6);
  for (auto& trial : echo.report.trials) {
    trial.total.tx.packets = 4000;
    trial.total.rx.packets = 3990;
  }
  result.b.runs.push_back(ab_figures(echo));
  EXPECT_THAT(ab_progress(result, "A", 1)[1], HasSubstr("Mpps, 0.25 % lost;"));
}

TEST(AbComparison, FinishesWhenTheIntervalIsNarrowOrNoRoundsAreLeft) {
  EXPECT_FALSE(is_finished(rounds_of(5, 1, 0.001)));
  EXPECT_TRUE(is_finished(rounds_of(6, 1, 0.001)));
  EXPECT_FALSE(is_finished(rounds_of(9, 1, 0.2)));
  EXPECT_TRUE(is_finished(rounds_of(10, 1, 0.2)));
}

TEST(AbComparison, OmitsMetricsThatWereNotMeasured) {
  const auto result = rounds_of(6, 0.95, 0);
  std::vector<Metric> found;
  for (const auto& effect : effects_of(result)) found.push_back(effect.metric);
  EXPECT_THAT(found, ElementsAre(Metric::rate, Metric::cpu_time));
  const auto missing = effect_on(result, Metric::instructions);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "a run did not measure the metric 'instructions'; all runs measured rate and cpu-time");
  auto idle = result;
  idle.b.runs[2].rate = 0;
  idle.b.runs[2].cpu_time.reset();
  for (const auto metric : {Metric::rate, Metric::cpu_time}) {
    EXPECT_THAT(effect_on(idle, metric).error().message, HasSubstr("moved no packets"));
  }
}

TEST(AbComparison, ExplainsThatASearchHasNoResult) {
  auto search = test::eventful();
  EXPECT_EQ(ab_figures(search).rate, figure_of(search));
  EXPECT_EQ(ab_figures(search).search_failure, "");
  auto& goal = search.search->found.front();
  goal.end = datapath::GoalResult::End::silent;
  goal.lower.reset();
  auto result = rounds_of(6, 1, 0);
  result.b.runs[1] = ab_figures(search);
  const auto effect = effect_on(result, Metric::rate);
  ASSERT_FALSE(effect);
  EXPECT_EQ(effect.error().message,
            "the search of a run has no result: ndr not found: no packet came back");
  EXPECT_EQ(effect_on(result, Metric::cpu_time).error().message, effect.error().message);
}

// The CPU time of a search includes that of other trials.
TEST(AbComparison, ExplainsThatASearchMeasuresOnlyItsRate) {
  auto result = rounds_of(6, 1, 0);
  for (auto* side : {&result.a, &result.b}) {
    for (auto& run : side->runs) run = ab_figures(test::eventful());
  }
  EXPECT_EQ(effect_on(result, Metric::cpu_time).error().message,
            "with --rate or --find, workers wait between packets, and the metric 'cpu-time' would "
            "include "
            "the waiting: omit these options");
}

// A sender with a requested rate polls between its packets.
TEST(AbComparison, HasNoCostsOfRunsWithARequestedRate) {
  auto sample = test::steady(datapath::Mode::tx, 1e6);
  sample.interference.cpu_seconds = 20;
  sample.report.trials.front().total.effort.instructions = 5'000'000;
  EXPECT_TRUE(ab_figures(sample).cpu_time);
  EXPECT_TRUE(ab_figures(sample).instructions);
  sample.plan.trial.rate = datapath::Rate{datapath::Rate::Unit::packets, 1e6};
  EXPECT_FALSE(ab_figures(sample).cpu_time);
  EXPECT_FALSE(ab_figures(sample).instructions);
  auto result = rounds_of(6, 1, 0);
  result.b.runs[0] = ab_figures(sample);
  EXPECT_THAT(effect_on(result, Metric::cpu_time).error().message, HasSubstr("with --rate"));
  EXPECT_TRUE(effect_on(result, Metric::rate));
}

TEST(AbComparison, NotesThatReceiversWereIdle) {
  auto result = rounds_of(6, 0.9, 0);
  result.plan.metric = Metric::cpu_time;
  const auto busy = remarks_on(result);
  result.b.runs[3].empty_polls = 0.7;
  const auto idle = remarks_on(result);
  ASSERT_EQ(idle.size(), busy.size() + 1);
  EXPECT_THAT(idle.back(), HasSubstr("most polls found no packet"));
  result.plan.metric = Metric::rate;
  EXPECT_THAT(remarks_on(result), IsEmpty());
}

TEST(AbComparison, ExplainsAMissingVerdict) {
  EXPECT_THAT(remarks_on(rounds_of(6, 0.9, 0)), IsEmpty());
  EXPECT_THAT(remarks_on(rounds_of(5, 0.9, 0)), ElementsAre(HasSubstr("needs 6 rounds")));
  EXPECT_THAT(remarks_on(rounds_of(10, 0.95, 0.2)), ElementsAre(HasSubstr("--metric cpu-time")));
  auto without = rounds_of(10, 0.95, 0.2);
  without.b.runs[3].cpu_time.reset();
  EXPECT_THAT(remarks_on(without), ElementsAre(Not(HasSubstr("cpu-time"))));
  EXPECT_THAT(effect_on(without, Metric::cpu_time).error().message,
              EndsWith("all runs measured rate"));
  auto equal = rounds_of(6, 1, 0);
  equal.b.command = equal.a.command;
  EXPECT_THAT(remarks_on(equal), ElementsAre(HasSubstr("the same command")));
  equal.a.runs.pop_back();
  equal.b.runs.pop_back();
  EXPECT_THAT(remarks_on(equal), ElementsAre(HasSubstr("the same command"), HasSubstr("6 rounds")));
}

TEST(AbComparison, UsesTheFiguresOfResults) {
  auto sample = test::repeated(datapath::Mode::tx, {1e6, 1e6});
  sample.interference.cpu_seconds = 20;
  const auto figures = ab_figures(sample);
  EXPECT_EQ(figures.rate, rate_of(sample));
  EXPECT_EQ(figures.cpu_time, cpu_time_of(sample));
  EXPECT_FALSE(figures.instructions);
  sample.summary.rates = {};
  sample.summary.rate = {};
  EXPECT_GT(ab_figures(sample).rate, 0.8e6);
}

TEST(AbComparison, IsWrittenAsJson) {
  const auto document = json::parse(ab_json(rounds_of(6, 0.95, 0), "0.1.0", 1));
  EXPECT_EQ(document["schema"], "manactl.bench-ab/1");
  EXPECT_EQ(document["verdict"], "worse");
  EXPECT_EQ(document["a"]["command"][3], "32");
  ASSERT_EQ(document["metrics"].size(), 2U);
  EXPECT_EQ(document["metrics"][0]["name"], "rate");
  EXPECT_NEAR(document["metrics"][0]["change"].get<double>(), -0.05, 1e-12);
  EXPECT_NEAR(document["metrics"][0]["confidence_95"][1].get<double>(), -0.05, 1e-12);
  EXPECT_EQ(document["metrics"][1]["unit"], "ns/packet");
  EXPECT_EQ(document["differences"], json::parse(R"([{"name": "burst", "a": "32", "b": "64"}])"));
  ASSERT_EQ(document["rounds"].size(), 6U);
  EXPECT_EQ(document["rounds"][0]["a"]["packets_per_second"], 1e7);
  EXPECT_TRUE(document["rounds"][0]["b"]["instructions_per_packet"].is_null());
}

}  // namespace
}  // namespace manactl::report::ab_test
