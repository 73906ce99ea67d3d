// SPDX-License-Identifier: MIT

#include "report/result.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/figures.h"
#include "report/sample_results.h"

namespace manactl::report::result_test {
namespace {

using testing::_;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

// The median excludes the slow first and last intervals; the total includes them.
TEST(BenchResult, HasTheMedianOfItsRates) {
  const auto result = test::steady(datapath::Mode::tx, 1e6);
  const auto total = total_of(result.report);
  ASSERT_LT(per_second(total.tx, total.seconds), 0.99e6);
  EXPECT_EQ(rate_of(result), result.summary.rate.median);
  EXPECT_NEAR(rate_of(result).value_or(0), 1e6, 0.005e6);
}

// The mean of a trial includes its ramp.
TEST(BenchResult, HasNoRateWithoutASteadyInterval) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  result.summary.rate = datapath::estimate({0.9e6});
  EXPECT_EQ(rate_of(result), 0.9e6);
  result.summary.rate = {};
  EXPECT_EQ(rate_of(result), std::nullopt);
  for (auto& trial : result.report.trials) trial.total = {};
  EXPECT_EQ(rate_of(result), 0) << "nothing moved";
}

// Sets the rates that count.
void set_rates(BenchResult& result, std::vector<double> rates, std::size_t left_out) {
  result.summary.rate = datapath::estimate(rates);
  result.summary.rates = std::move(rates);
  result.summary.left_out = left_out;
}

TEST(BenchResult, StatesTheBasisOfItsRate) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_EQ(basis_of(result), "the median of 8 intervals");
  set_rates(result, {1e6, 2e6}, 2);
  EXPECT_EQ(basis_of(result), "the mean of 2 intervals");
  set_rates(result, {1e6}, 1);
  EXPECT_EQ(basis_of(result), "1 interval");
  EXPECT_FALSE(includes_start(result)) << "another interval was left out";
  set_rates(result, {1e6}, 0);
  EXPECT_EQ(basis_of(result), "including the start");
  set_rates(result, {}, 2);
  EXPECT_EQ(basis_of(result), "");
  auto repeated = test::repeated(datapath::Mode::tx, {1e6, 1e6, 1e6});
  EXPECT_EQ(basis_of(repeated), "the median of 3 trials");
  repeated.summary.left_out = 0;
  EXPECT_EQ(basis_of(repeated), "the median of 3 trials, including the start");
  repeated.search.emplace();
  EXPECT_FALSE(includes_start(repeated)) << "a search has no rate";
}

// Sets the sent packets of each interval of one second.
BenchResult with_intervals(const std::vector<std::uint64_t>& packets) {
  BenchResult result;
  auto& trial = result.report.trials.emplace_back();
  for (const auto count : packets) {
    auto& interval = trial.intervals.emplace_back();
    interval.total.seconds = 1;
    interval.total.tx.packets = count;
    trial.total.tx.packets += count;
  }
  result.summary = summarize_trials(datapath::Mode::tx, result.report.trials, {});
  return result;
}

// The rate was once 0 although packets flowed.
TEST(BenchResult, HasNoRateIfPacketsFlowedInFewIntervals) {
  const auto ended = with_intervals({9, 9, 9, 0, 0, 0, 0, 0, 0, 0});
  EXPECT_EQ(rate_of(ended), std::nullopt);
  EXPECT_EQ(why_no_rate(ended), "nothing moved after 3.0 s");
  const auto rare = with_intervals({9, 0, 0, 0, 9, 0, 0, 0, 0, 0});
  EXPECT_EQ(rate_of(rare), std::nullopt);
  EXPECT_EQ(why_no_rate(rare), "packets flowed in 20 % of the intervals");
  auto disturbed = with_intervals({9, 9, 0, 9, 9});
  disturbed.summary = {};
  EXPECT_THAT(why_no_rate(disturbed), StartsWith("no interval was steady"));
  EXPECT_EQ(rate_of(with_intervals({9, 9, 9, 9, 9, 9, 0})), 9);
  EXPECT_EQ(rate_of(with_intervals({0, 0, 0})), 0);
}

// The sum once contained the number of trials.
TEST(BenchResult, LeavesOutAllIntervalsIfItHasNoRate) {
  const auto rare = with_intervals({9, 0, 0, 0, 9, 0, 0, 0, 0, 0});
  EXPECT_EQ(rare.summary.left_out, 10U);
  const std::vector trials(2, rare.report.trials.front());
  EXPECT_EQ(summarize_trials(datapath::Mode::tx, trials, {}).left_out, 20U);
}

// The intervals count posted packets, some of which were in flight when the trial ended.
TEST(BenchResult, HasNoRateIfEveryPacketFailed) {
  auto idle = with_intervals({0, 0, 0, 0});
  idle.report.trials.front().total.tx.errors = 7;
  idle.summary = summarize_trials(datapath::Mode::tx, idle.report.trials, {});
  EXPECT_EQ(rate_of(idle), std::nullopt);
  auto result = with_intervals({32, 32, 32, 32});
  auto& trial = result.report.trials.front();
  trial.total.tx.packets = 0;
  trial.total.tx.errors = 5'694'752;
  result.summary = summarize_trials(datapath::Mode::tx, result.report.trials, {});
  EXPECT_EQ(rate_of(result), std::nullopt);
  EXPECT_EQ(why_no_rate(result), "all 5,694,752 packets had errors");
  EXPECT_TRUE(moved_nothing(result));
}

using Kind = datapath::Event::Kind;

TEST(BenchResult, HasItsMostImportantRemarksFirst) {
  auto result = test::steady(datapath::Mode::rtt, 1e6);
  result.summary.reasons = {"the rate varies by 9.0 % between intervals"};
  result.report.notes = {"ordinary memory was used", "10 of 20 requests had no reply"};
  auto& trial = result.report.trials.front();
  trial.notes = {"10 of 20 requests had no reply"};
  const std::vector<std::string> common = {"Note: 10 of 20 requests had no reply",
                                           "Noisy: the rate varies by 9.0 % between intervals",
                                           "Note: ordinary memory was used"};
  EXPECT_EQ(remarks_on(result, EventLines::all), common);
  trial.events = {{2, "p1", Kind::removed},
                  {2.12, "p2", Kind::removed},
                  {3.5, "p1", Kind::returned},
                  {4, "p2", Kind::returned}};
  auto lines = remarks_on(result, EventLines::one_per_device);
  EXPECT_THAT(lines.front(), StartsWith("Device absent for 2.00 s"));
  EXPECT_THAT(std::span(lines).subspan(1),
              ElementsAre("p1 was removed after 2.00 s, returned after 3.50 s",
                          "p2 was removed after 2.12 s, returned after 4.00 s",
                          common[0],
                          common[1],
                          common[2]));
  lines = remarks_on(result, EventLines::all);
  EXPECT_THAT(std::span(lines).subspan(1, 4),
              ElementsAre("p1 was removed after 2.00 s",
                          "p2 was removed after 2.12 s",
                          "p1 returned after 3.50 s",
                          "p2 returned after 4.00 s"));
  EXPECT_THAT(warnings_on(result), ElementsAre(StartsWith("Device"), _, _, common[1]));
}

TEST(BenchResult, HasTheCpuTimePerPacket) {
  auto result = test::repeated(datapath::Mode::tx, {1e6, 1e6});
  EXPECT_FALSE(cpu_time_of(result));
  result.interference.cpu_seconds = 19;
  const auto packets = static_cast<double>(total_of(result.report).tx.packets);
  EXPECT_DOUBLE_EQ(cpu_time_of(result).value_or(0), 19e9 / packets);
  result.search.emplace();
  EXPECT_FALSE(cpu_time_of(result));
  auto idle = test::steady(datapath::Mode::tx, 0);
  idle.interference.cpu_seconds = 19;
  EXPECT_FALSE(cpu_time_of(idle));
}

TEST(BenchResult, NamesTheSoftwareAdapterInItsHeadline) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_EQ(headline_of(result), "tx on net_null0");
  result.simulated = true;
  EXPECT_EQ(headline_of(result), "simulated: tx on the software adapter");
}

// A search reports only the trials of the rate that it found. The user may have stopped a later
// trial, which is not reported.
TEST(BenchResult, IsInterruptedWithItsLastTrialOrSearch) {
  auto result = test::steady(datapath::Mode::txrx, 1e6);
  EXPECT_FALSE(is_interrupted(result));
  result.search.emplace();
  EXPECT_FALSE(is_interrupted(result));
  result.search->probes.resize(2);
  EXPECT_FALSE(is_interrupted(result));
  result.search->probes.back().stopped = true;
  EXPECT_TRUE(is_interrupted(result));
  result.search.reset();
  result.report.trials.back().interrupted = true;
  EXPECT_TRUE(is_interrupted(result));
}

TEST(BenchResult, RejectsTheSyntheticPathUnlessItIsAllowed) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_FALSE(took_rejected_path(result));
  result.path.verdict = datapath::Path::synthetic;
  EXPECT_TRUE(took_rejected_path(result));
  result.synthetic_allowed = true;
  EXPECT_FALSE(took_rejected_path(result));
}

// As the rate of the run, they exclude the first and the last interval.
TEST(BenchResult, HasTheMeanRatesOfTheQueuesInSteadyIntervals) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  EXPECT_THAT(queue_rates_of(result), ElementsAre(DoubleNear(5e5, 1e3), DoubleNear(5e5, 1e3)));
  const auto& total = result.report.trials.front().queues[0];
  EXPECT_LT(per_second(total.tx, total.seconds), 4.5e5);
  for (auto& interval : result.report.trials.front().intervals) interval.disturbed = true;
  EXPECT_THAT(queue_rates_of(result), IsEmpty());
}

}  // namespace
}  // namespace manactl::report::result_test
