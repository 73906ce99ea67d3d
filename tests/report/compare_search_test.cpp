// SPDX-License-Identifier: MIT
//
// The comparison of results of a search, which have the rate of the search and not that of a trial.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/compare.h"
#include "report/sample_results.h"

namespace manactl::report::compare_search_test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

BenchResult searched(double lower, datapath::GoalResult::End end) {
  auto result = test::steady(datapath::Mode::txrx, 1e6);
  datapath::GoalResult goal;
  goal.lower = goal.low = lower;
  goal.upper = goal.high = lower * 1.004;
  goal.end = end;
  result.search.emplace().found = {goal};
  return result;
}

TEST(CompareInput, HasTheRateOfTheSearch) {
  const auto input = compare_input(searched(7.812e6, datapath::GoalResult::End::narrow), "a");
  EXPECT_THAT(input.rates, ElementsAre(7.812e6)) << "the trials that the result keeps had 1 Mpps";
  EXPECT_EQ(rate_text(input), "ndr 7.812 Mpps");
  EXPECT_EQ(input.configuration.back().second, "ndr");
  const auto plain = compare_input(test::steady(datapath::Mode::txrx, 1e6), "b");
  EXPECT_EQ(rate_text(plain), "1.00 Mpps");
  EXPECT_THAT(compare(input, plain, 0.02).error().message, HasSubstr("goals ndr and none"));
}

TEST(Compare, RefusesASearchThatFoundNoRate) {
  const auto good = compare_input(searched(1e6, datapath::GoalResult::End::narrow), "good");
  for (const auto end : {datapath::GoalResult::End::silent,
                         datapath::GoalResult::End::stopped,
                         datapath::GoalResult::End::limit}) {
    const auto bad = compare_input(searched(1e6, end), "bad");
    EXPECT_EQ(compare(good, bad, 0.02).error().message,
              "'bad' has no rate to compare: ndr not found");
  }
}

TEST(Compare, RefusesAResultThatIsComparedWithItself) {
  auto result = test::steady(datapath::Mode::tx, 1e6);
  result.id = "20261121T134702Z-0000";
  const auto input = compare_input(result, "latest");
  EXPECT_EQ(compare(input, input, 0.02).error().message,
            "cannot compare result 20261121T134702Z-0000 with itself: name two results");
  result.id.clear();  // two files may hold equal results
  const auto file = compare_input(result, "a.json");
  EXPECT_TRUE(compare(file, file, 0.02));
}

}  // namespace
}  // namespace manactl::report::compare_search_test
