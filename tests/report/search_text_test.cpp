// SPDX-License-Identifier: MIT

#include "report/search_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::report::search_text_test {
namespace {

using testing::HasSubstr;

TEST(FoundText, StatesHowTheSearchEnded) {
  datapath::GoalResult found;
  found.lower = 7.812e6;
  found.upper = 7.851e6;
  EXPECT_EQ(found_text(found), "7.812 Mpps; the loss exceeds the goal at 7.851 Mpps");
  found.end = datapath::GoalResult::End::stopped;
  EXPECT_EQ(found_text(found), "not found, but between 7.812 Mpps and 7.851 Mpps: stopped");
  found.upper.reset();
  EXPECT_THAT(found_text(found), HasSubstr("at least 7.812 Mpps"));
  found.end = datapath::GoalResult::End::above;
  EXPECT_EQ(found_text(found), "at least 7.812 Mpps, the highest rate of the sender");
  found.lower.reset();
  found.upper = 1000;
  found.end = datapath::GoalResult::End::below;
  EXPECT_THAT(found_text(found), HasSubstr("less than 1.000 kpps"));
  found.end = datapath::GoalResult::End::limit;
  EXPECT_EQ(found_text(found), "not found, but less than 1.000 kpps: too many trials");
  found.upper.reset();
  found.end = datapath::GoalResult::End::inconclusive;
  EXPECT_EQ(found_text(found), "not found: too many trials gave no usable result");
}

TEST(ProbeText, ContainsRateAndLoss) {
  datapath::SearchProbe probe;
  probe.asked = probe.rate = 2e6;
  probe.seconds = 1;
  probe.sent = 2'000'000;
  probe.received = 1'999'000;
  EXPECT_EQ(probe_text(3, probe), "trial 3: 2.000 Mpps for 1.0 s, lost 1000 packets (0.05 %)");
  probe.valid = false;
  EXPECT_THAT(probe_text(3, probe), HasSubstr("repeated"));
}

}  // namespace
}  // namespace manactl::report::search_text_test
