// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "support/fixtures.h"

namespace manactl::cli {
namespace {

using diag::Finding;
using testing::HasSubstr;
using testing::Not;

diag::Check row(std::string_view id, std::string_view title) {
  return {id, title, "not so", diag::Requirement::none, nullptr, {}};
}

diag::Report sample() {
  diag::Report report;
  report.outcomes.push_back({row("hardware.azure", "this is Azure"), diag::pass("by its tag")});
  report.outcomes.push_back(
      {row("kernel.mana", "mana is there"),
       diag::fail("it is missing", {"Nothing works without.", {"modprobe mana"}})});
  report.outcomes.push_back({row("rdma.one", "one"), diag::skipped("no MANA")});
  report.outcomes.push_back({row("rdma.two", "two"), diag::skipped("no MANA")});
  report.outcomes.push_back({row("rdma.three", "three"), diag::skipped("no RDMA")});
  return report;
}

class CheckText : public testing::Test {
 protected:
  std::string show(const diag::Report& report, int verbosity, bool unicode = true) {
    std::ostringstream out;
    Screen screen(out, false, 80, false);
    screen.set_unicode(unicode);
    print_text(screen, {facts_, report}, Exit::findings, verbosity);
    return out.str();
  }

  host::Facts facts_ = host::facts_of("healthy-two-nics");
};

TEST_F(CheckText, ShowsRemediesBelowAFailedCheck) {
  const auto shown = show(sample(), 0);
  EXPECT_THAT(shown, HasSubstr("✓ this is Azure: by its tag"));
  EXPECT_THAT(shown, HasSubstr("✗ mana is there: it is missing"));
  EXPECT_THAT(shown, HasSubstr("      Nothing works without.\n          modprobe mana\n"));
  EXPECT_THAT(shown, HasSubstr("5 checks: 1 passed, 1 failed, 3 skipped."));
}

TEST_F(CheckText, FoldsChecksSkippedForTheSameReason) {
  const auto shown = show(sample(), 0);
  EXPECT_THAT(shown, HasSubstr("– 2 checks skipped: no MANA"));
  EXPECT_THAT(shown, HasSubstr("– three: no RDMA"));
  EXPECT_THAT(show(sample(), 1), HasSubstr("– two: no MANA"));
}

TEST_F(CheckText, UsesWordsWithoutUnicode) {
  const auto shown = show(sample(), 0, false);
  EXPECT_THAT(shown, HasSubstr("FAIL mana is there"));
  EXPECT_TRUE(std::all_of(shown.begin(), shown.end(), [](char c) { return c > 0; }));
}

TEST_F(CheckText, EscapesControlCharacters) {
  diag::Report report;
  report.outcomes.push_back({row("hardware.x", "x"), diag::unknown("\x1b[2J\xff")});
  EXPECT_THAT(show(report, 0), HasSubstr(R"(\x1b[2J\xff)"));
}

TEST_F(CheckText, StaysWithin80Columns) {
  diag::Report report;
  std::string detail;
  for (int i = 0; i < 60; ++i) detail += "word ";
  report.outcomes.push_back({row("hardware.x", "x"), diag::warn(detail, {detail, {}})});
  std::istringstream lines(show(report, 0, false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST_F(CheckText, CutsPassedChecksToOneLineUnlessVerbose) {
  diag::Report report;
  report.outcomes.push_back(
      {row("hardware.x", "each NIC is there"),
       diag::pass("eth0 at 7870:00:00.0, eth1 at 7870:00:00.0, eth2 at 7871:00:00.0 and eth3")});
  EXPECT_THAT(show(report, 0),
              HasSubstr("  ✓ each NIC is there: eth0 at 7870:00:00.0, eth1 at 7870:00:00.0, "
                        "eth2 at ...\n\n"));
  EXPECT_THAT(show(report, 1), HasSubstr("and eth3"));
}

TEST_F(CheckText, ShowsIdsAndEvidenceWhenVerbose) {
  diag::Report report;
  report.outcomes.push_back({row("hardware.x", "x"), diag::pass("good", {"seen: y"})});
  EXPECT_THAT(show(report, 1), HasSubstr("seen: y"));
  EXPECT_THAT(show(report, 1), HasSubstr("hardware.x"));
  EXPECT_THAT(show(report, 0), Not(HasSubstr("seen: y")));
}

TEST(CheckJson, ContainsEveryFieldOfACheck) {
  const auto facts = host::facts_of("healthy-two-nics");
  std::ostringstream out;
  Screen screen(out, true, 80, false);
  print_json(screen, {facts, sample()}, Exit::findings);
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["schema"], "manactl.check/1");
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["healthy"], false);
  EXPECT_EQ(document["counts"]["skipped"], 3);
  const auto& failed = document["checks"][1];
  EXPECT_EQ(failed["id"], "kernel.mana");
  EXPECT_EQ(failed["group"], "kernel");
  EXPECT_EQ(failed["status"], "fail");
  EXPECT_EQ(failed["remedy"]["commands"][0], "modprobe mana");
  EXPECT_TRUE(document["checks"][0]["remedy"].is_null());
  EXPECT_EQ(document["host"]["nics"].size(), 2U);
}

}  // namespace
}  // namespace manactl::cli
