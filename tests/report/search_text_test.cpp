// SPDX-License-Identifier: MIT

#include "report/search_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

namespace manactl::report::search_text_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(FoundText, StatesHowTheSearchEnded) {
  datapath::GoalResult found;
  found.lower = 7.812e6;
  found.upper = 7.851e6;
  EXPECT_EQ(found_text(found), "7.81 Mpps (7.81 to 7.85 Mpps)");
  found.end = datapath::GoalResult::End::stopped;
  EXPECT_EQ(found_text(found), "not found, but 7.81 to 7.85 Mpps: stopped");
  found.upper.reset();
  EXPECT_THAT(found_text(found), HasSubstr("at least 7.812 Mpps"));
  found.end = datapath::GoalResult::End::above;
  EXPECT_EQ(found_text(found), "at least 7.812 Mpps, the highest rate of the sender");
  found.lower.reset();
  found.upper = 1000;
  found.end = datapath::GoalResult::End::below;
  EXPECT_EQ(found_text(found), "not found: no rate met the goal, not even 1.000 kpps");
  EXPECT_EQ(found_rate_text(found), "not found");
  found.end = datapath::GoalResult::End::limit;
  EXPECT_EQ(found_text(found), "not found, but less than 1.000 kpps: too many trials");
  found.upper.reset();
  found.end = datapath::GoalResult::End::inconclusive;
  EXPECT_EQ(found_text(found), "not found: too many trials gave no usable result");
  found.end = datapath::GoalResult::End::silent;
  found.upper = 125e6;
  EXPECT_EQ(found_text(found), "not found: no packet came back");
  found.end = datapath::GoalResult::End::foreign;
  EXPECT_EQ(found_text(found),
            "not found: more packets came back than were counted as sent, so the loss is unknown");
  found.end = datapath::GoalResult::End::constant;
  found.upper = 5500;
  EXPECT_EQ(found_text(found),
            "not found: the loss is about the same at all rates, even at 5.500 "
            "kpps, so a lower rate does not help");
  EXPECT_EQ(found_rate_text(found), "not found");
}

// A search that was stopped has bounds, but no result.
TEST(FoundText, DoesNotPresentTheBoundsOfAnUnfinishedSearchAsItsResult) {
  datapath::GoalResult found;
  found.lower = found.low = 7.812e6;
  found.upper = found.high = 7.851e6;
  for (const auto end : {datapath::GoalResult::End::stopped,
                         datapath::GoalResult::End::inconclusive,
                         datapath::GoalResult::End::limit}) {
    found.end = end;
    EXPECT_EQ(found_rate_text(found), "not found");
  }
}

TEST(FoundText, ShowsALowerBoundInItsOwnUnit) {
  datapath::GoalResult found;
  found.lower = found.high = 3.593e6;
  found.low = 974;
  found.end = datapath::GoalResult::End::inconclusive;
  EXPECT_EQ(found_text(found),
            "not found, but at least 974.0 pps: too many trials gave no usable result");
}

TEST(FoundText, NeverHasALowEndOfZero) {
  datapath::GoalResult found;
  found.lower = 4.9e6;
  found.upper = found.high = 5e6;
  found.low = 1000;
  EXPECT_EQ(found_text(found), "1.000 kpps to 5 Mpps");
  found.low = 20'000;
  EXPECT_EQ(found_text(found), "0.02 to 5 Mpps");
  found.lower = 4900;
  found.upper = found.high = 5000;
  found.low = 90;
  EXPECT_EQ(found_text(found), "0.09 to 5 kpps");
  found.low = 1;
  EXPECT_EQ(found_text(found), "1.000 pps to 5 kpps");
}

// Five searches on a disturbed machine found between 435 and 998 kpps.
TEST(FoundText, HasNoDigitsThatAnotherSearchWouldNotConfirm) {
  datapath::GoalResult found;
  found.lower = 997'800;
  found.end = datapath::GoalResult::End::above;
  found.low = 987'822;
  found.high = 997'800;
  EXPECT_EQ(found_rate_text(found), "997 kpps");
  EXPECT_EQ(found_text(found), "987 to 997 kpps, the highest rates of the sender");
  found.low = 435'100;
  found.disturbed = true;
  EXPECT_EQ(found_rate_text(found), "430 to 990 kpps");
  EXPECT_EQ(found_text(found),
            "430 to 990 kpps, the highest rates of the sender; other programs took CPU time");
}

// Returns the numbers of a text, in packets per second.
std::vector<double> rates_in(const std::string& text) {
  const double factor = text.find("Mpps") != std::string::npos   ? 1e6
                        : text.find("kpps") != std::string::npos ? 1e3
                                                                 : 1;
  std::vector<double> rates;
  const std::regex number("[0-9]+([.][0-9]+)?");
  for (std::sregex_iterator at(text.begin(), text.end(), number), end; at != end; ++at) {
    rates.push_back(std::stod(at->str()) * factor);
  }
  return rates;
}

TEST(FoundText, PrintsNoRateAboveTheRangeAndNoLowerBoundAboveItsLowEnd) {
  using End = datapath::GoalResult::End;
  for (const double high : {7.0, 99.97, 998.4, 997'800.0, 999'999.0, 7'851'900.0, 142'599'999.0}) {
    for (const double share : {0.01, 0.436, 0.85, 0.96, 0.9899, 0.99, 0.995, 0.9999, 1.0}) {
      for (const auto end : {End::narrow, End::above, End::stopped}) {
        datapath::GoalResult found;
        found.end = end;
        found.low = high * share;
        found.high = found.lower = high;
        if (end == End::narrow) found.upper = high;
        const auto text = found_text(found);
        const auto rates = rates_in(text);
        ASSERT_FALSE(rates.empty()) << text;
        for (const auto rate : rates) EXPECT_LE(rate, high * (1 + 1e-9)) << text;
        const auto at_least = text.find("at least ");
        if (at_least != std::string::npos) {
          EXPECT_LE(rates.front(), *found.low * (1 + 1e-9)) << text;
        }
        for (const auto rate : rates_in(found_rate_text(found))) EXPECT_LE(rate, high * (1 + 1e-9));
      }
    }
  }
}

TEST(ProgressText, ContainsTrialRateLossBoundsAndTime) {
  datapath::SearchProgress progress{998'200, 0, {}, {}, 11.4};
  datapath::SearchProbe last;
  last.sent = 10'000;
  last.received = 9'998;
  EXPECT_EQ(progress_text(7, progress, nullptr), "trial 7 at 998.2 kpps; 12 s left");
  progress.upper = 1'005'000;
  EXPECT_EQ(progress_text(7, progress, &last),
            "trial 7 at 998.2 kpps; 0.02 % lost before; ndr < 1.005 Mpps; 12 s left");
  progress.lower = 900'000;
  EXPECT_EQ(progress_text(7, progress, &last),
            "trial 7 at 998.2 kpps; 0.02 % lost before; ndr 900.0 to 1005 kpps; 12 s left");
  progress.rate = HUGE_VAL;
  EXPECT_THAT(progress_text(1, progress, nullptr), StartsWith("trial 1; ndr"));
}

TEST(ProbeText, ContainsRateAndLoss) {
  datapath::SearchProbe probe;
  probe.asked = probe.rate = 2e6;
  probe.seconds = 1;
  probe.sent = 2'000'000;
  probe.received = 1'999'000;
  EXPECT_EQ(probe_text(3, probe), "trial 3: 2.000 Mpps for 1.0 s, lost 1,000 packets (0.05 %)");
}

TEST(ProbeText, ContainsTheReasonOfARepetition) {
  datapath::SearchProbe probe;
  probe.asked = probe.rate = 2e6;
  probe.seconds = 1;
  probe.sent = probe.received = 2'000'000;
  probe.valid = false;
  EXPECT_EQ(probe_text(3, probe), "trial 3: 2.000 Mpps for 1.0 s, repeated: a device was absent");
  probe.received -= 10;
  probe.disturbed = true;
  EXPECT_THAT(probe_text(3, probe), HasSubstr("repeated: other programs took CPU time"));
  probe.rate = 1e6;
  EXPECT_THAT(probe_text(3, probe), HasSubstr("repeated: the sender was too slow"));
  probe.received = 3'000'000;
  EXPECT_THAT(probe_text(3, probe), HasSubstr("repeated: more packets came back than were sent"));
}

}  // namespace
}  // namespace manactl::report::search_text_test
