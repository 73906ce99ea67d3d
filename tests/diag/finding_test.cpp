// SPDX-License-Identifier: MIT

#include "diag/finding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace manactl::diag::finding_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(FindingBuilder, HasTheStatusOfItsWorstLine) {
  FindingBuilder findings;
  findings.ok("a is ok", "a");
  EXPECT_EQ(findings.build("", "").status, Status::pass);
  findings.unknown("b?");
  EXPECT_EQ(findings.build("", "").status, Status::unknown);
  findings.warn("c is slow", {"speed up c"});
  EXPECT_EQ(findings.build("", "").status, Status::warn);
  findings.fail("d is down", {"set d up"});
  const auto finding = findings.build("", "because");
  EXPECT_EQ(finding.status, Status::fail);
  EXPECT_EQ(finding.detail, "d is down");
  EXPECT_THAT(finding.evidence, ElementsAre("a is ok", "b?", "c is slow", "d is down"));
  EXPECT_THAT(finding.remedy->commands, ElementsAre("speed up c", "set d up"));
}

TEST(FindingBuilder, ShortensOkLinesAndKeepsThemAsEvidence) {
  FindingBuilder findings;
  findings.ok("a is ok", "a");
  EXPECT_EQ(findings.build("", "").detail, "a");
  EXPECT_THAT(findings.build("", "").evidence, ElementsAre("a is ok"));
  findings.ok("b");
  EXPECT_EQ(findings.build("", "").detail, "a, b");
}

TEST(FindingBuilder, DoesNotRepeatASingleLineAsEvidence) {
  FindingBuilder findings;
  findings.ok("b");
  EXPECT_THAT(findings.build("", "").evidence, IsEmpty());
  EXPECT_EQ(FindingBuilder().build("no NIC", "").status, Status::skipped);
}

TEST(AppendCommands, OmitsWhatTheBeginningRepeats) {
  std::vector<std::string> commands = {"apt-get update", "apt-get install -y a"};
  append_commands(commands,
                  {"apt-get update", "tee b.list", "apt-get update", "apt-get install -y b"});
  append_commands(commands, {"apt-get update", "apt-get install -y a"});
  EXPECT_THAT(commands,
              ElementsAre("apt-get update",
                          "apt-get install -y a",
                          "tee b.list",
                          "apt-get update",
                          "apt-get install -y b"));
}

TEST(Brief, CountsTheOmittedLines) {
  EXPECT_EQ(brief({"a", "b", "c"}), "a; b; c");
  EXPECT_EQ(brief({"a", "b", "c", "d", "e"}, ", "), "a, b, c, and 2 more");
}

}  // namespace
}  // namespace manactl::diag::finding_test
