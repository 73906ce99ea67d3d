// SPDX-License-Identifier: MIT

#include "diag/tally.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::diag {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Tally, IsAsGoodAsItsWorstLine) {
  Tally tally;
  tally.ok("a is well", "a");
  EXPECT_EQ(tally.finding("", "").status, Status::pass);
  tally.unknown("b?");
  EXPECT_EQ(tally.finding("", "").status, Status::unknown);
  tally.warn("c is slow", {"hurry c"});
  EXPECT_EQ(tally.finding("", "").status, Status::warn);
  tally.fail("d is down", {"raise d"});
  const auto finding = tally.finding("", "because");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(finding.detail, "d is down");
  EXPECT_THAT(finding.evidence, ElementsAre("a is well", "b?", "c is slow", "d is down"));
  EXPECT_THAT(finding.remedy->commands, ElementsAre("hurry c", "raise d"));
}

TEST(Tally, NamesWhatIsWellAndKeepsTheLinesAsEvidence) {
  Tally tally;
  tally.ok("a is well", "a");
  EXPECT_EQ(tally.finding("", "").detail, "a");
  EXPECT_THAT(tally.finding("", "").evidence, ElementsAre("a is well"));
  tally.ok("b");
  EXPECT_EQ(tally.finding("", "").detail, "a, b");
}

TEST(Tally, SaysASingleLineOnce) {
  Tally tally;
  tally.ok("b");
  EXPECT_THAT(tally.finding("", "").evidence, IsEmpty());
  EXPECT_EQ(Tally().finding("no NIC", "").status, Status::skipped);
}

TEST(Brief, CountsWhatItLeavesOut) {
  EXPECT_EQ(brief({"a", "b", "c"}), "a; b; c");
  EXPECT_EQ(brief({"a", "b", "c", "d", "e"}, ", "), "a, b, c, and 2 more");
}

}  // namespace
}  // namespace manactl::diag
