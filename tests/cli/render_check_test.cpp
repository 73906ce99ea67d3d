// SPDX-License-Identifier: MIT

#include "cli/check/render_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "support/fixtures.h"

namespace manactl::cli::render_check_test {
namespace {

using diag::Finding;
using testing::EndsWith;
using testing::HasSubstr;

diag::Check row(std::string_view id, std::string_view title) {
  return {id, title, "not so", diag::Requirement::none, diag::Use::both, nullptr, {}};
}

diag::Report sample() {
  diag::Report report;
  report.outcomes.push_back({row("hardware.two", "two"), diag::unknown("not readable")});
  report.outcomes.push_back(
      {row("hardware.azure", "this is Azure"), diag::pass("by its tag", {"the tag"})});
  report.outcomes.push_back(
      {row("kernel.mana", "mana is there"),
       diag::fail("it is missing", {"Nothing works without.", {"modprobe mana"}})});
  report.outcomes.push_back({row("rdma.one", "one"), diag::skipped("no MANA")});
  report.outcomes.push_back({row("rdma.two", "two"), diag::skipped("no MANA")});
  report.outcomes.push_back({row("rdma.three", "three"), diag::skipped("no RDMA")});
  report.outcomes.push_back({row("rdma.four", "four"), diag::warn("so so", {"Careful.", {}})});
  return report;
}

// "33": the number of all checks.
std::string all() {
  return std::to_string(diag::all_checks().size());
}

class CheckText : public testing::Test {
 protected:
  std::string show(const diag::Report& report, int verbosity, bool unicode = true) {
    std::ostringstream out;
    Screen screen(out, false, 80, false);
    screen.set_unicode(unicode);
    print_text(screen, {facts_, report, {}}, Exit::findings, verbosity);
    return out.str();
  }

  host::Facts facts_ = host::facts_of("healthy-two-nics");
};

std::string nics(const std::string& eth1) {
  return "NIC   owner   VF              path  free for DPDK\n"
         "eth0  kernel  enP30832p0s0    VF    no: SSH session, default route and 2 more\n"
         "eth1  kernel  enP30832p0s0d1  VF    " +
         eth1 + "\n\n";
}

TEST_F(CheckText, EndsWithTheCauseAndTheVerdict) {
  EXPECT_EQ(show(sample(), 0),
            nics("yes, but DPDK is not ready") +
                std::string("  ? hardware.two: cannot determine whether two\n"
                            "  ! rdma.four: not so: so so\n"
                            "  ✗ kernel.mana: not so: it is missing\n"
                            "      Nothing works without.\n"
                            "        modprobe mana\n"
                            "\n"
                            "7 of ") +
                all() +
                " checks (hardware, kernel, rdma): 1 passed, 1 warned, 1 failed, 3\n"
                "skipped, 1 unknown\n"
                "Not ready for MANA: not so.\n");
}

TEST_F(CheckText, ShowsNoRemedyOfAConsequence) {
  auto report = sample();
  auto consequence = row("rdma.five", "five");
  constexpr std::array<std::string_view, 1> kCauses = {"kernel.mana"};
  consequence.caused_by = kCauses;
  report.outcomes.push_back({consequence, diag::fail("no five", {"Find the cause.", {"ls"}})});
  EXPECT_THAT(show(report, 0),
              HasSubstr("  ✗ rdma.five: not so\n"
                        "  ✗ kernel.mana: not so: it is missing\n"
                        "      Nothing works without.\n"));
  EXPECT_THAT(show(report, 1), HasSubstr("      Find the cause.\n        ls\n"));
}

TEST_F(CheckText, SaysWhichNicsAreNotFree) {
  facts_.nics->at(0).carries.clear();
  facts_.carries_complete = fail(Errc::denied, "cannot read the routes");
  facts_.nics->at(1).vf.reset();
  const auto shown = show(sample(), 0);
  EXPECT_THAT(shown, HasSubstr("  VF         unknown: cannot read the routes\n"));
  EXPECT_THAT(shown, HasSubstr("eth1  kernel  none          synthetic  no: it has no VF\n"));
}

TEST_F(CheckText, ShowsEveryCheckInItsGroupWhenVerbose) {
  const auto shown = show(sample(), 1);
  EXPECT_THAT(shown,
              HasSubstr("\n\nHardware\n"
                        "  ? hardware.two: cannot determine whether two: not readable\n"
                        "  ✓ hardware.azure: this is Azure: by its tag\n"
                        "      the tag\n"
                        "\n"
                        "Kernel\n"
                        "  ✗ kernel.mana: not so: it is missing\n"
                        "      Nothing works without.\n"
                        "        modprobe mana\n"
                        "      See 'manactl help kernel.mana'\n"));
  EXPECT_THAT(shown, HasSubstr("  – rdma.two: two: no MANA\n"));
}

diag::Report passed(std::size_t count) {
  diag::Report report;
  for (const auto& check : std::span(diag::all_checks()).last(count)) {
    report.outcomes.push_back({check, diag::pass("")});
  }
  return report;
}

TEST_F(CheckText, NamesWhatWasChecked) {
  EXPECT_EQ(show(passed(4), 0),
            nics("yes") + std::string("4 of ") + all() +
                " checks (move): 4 passed\nRun 'manactl check' for the other checks.\n");
  EXPECT_THAT(show(passed(diag::all_checks().size()), 0),
              EndsWith(all() + " checks: " + all() +
                       " passed\nReady for MANA with the kernel's network stack and DPDK, but no "
                       "shared DPDK is\n"
                       "installed (see 'manactl help dpdk.installed').\n"));
  facts_.dpdk->resize(1);
  EXPECT_THAT(show(passed(diag::all_checks().size()), 0),
              EndsWith(" passed\nReady for MANA with the kernel's network stack and DPDK.\n"));
}

TEST_F(CheckText, SaysThatAReadyVmHasNoFreeNic) {
  facts_.nics->pop_back();
  EXPECT_THAT(
      show(passed(diag::all_checks().size()), 0),
      EndsWith("Ready for MANA with the kernel's network stack and DPDK, but no NIC is free for\n"
               "DPDK, and no shared DPDK is installed (see 'manactl help dpdk.installed').\n"));
}

TEST_F(CheckText, UsesWordsWithoutUnicode) {
  const auto shown = show(sample(), 0, false);
  EXPECT_THAT(shown, HasSubstr("FAIL kernel.mana: not so"));
  EXPECT_TRUE(std::all_of(shown.begin(), shown.end(), [](char c) { return c > 0; }));
}

TEST_F(CheckText, EscapesControlCharacters) {
  diag::Report report;
  report.outcomes.push_back({row("hardware.x", "x"), diag::warn("\x1b[2J\xff", {})});
  facts_.nics->at(1).vf->name = "\x1b[3J";
  EXPECT_THAT(show(report, 0), HasSubstr(R"(\x1b[2J\xff)"));
  EXPECT_THAT(show(report, 0), HasSubstr(R"(eth1  kernel  \x1b[3J )"));
}

TEST_F(CheckText, StaysWithin80Columns) {
  diag::Report report;
  std::string detail;
  for (int i = 0; i < 60; ++i) detail += "word ";
  report.outcomes.push_back({row("hardware.x", "x"), diag::warn(detail, {detail, {}})});
  std::istringstream lines(show(report, 0, false));
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
}

TEST(CheckJson, ContainsEveryFieldOfACheck) {
  const auto facts = host::facts_of("healthy-two-nics");
  std::ostringstream out;
  Screen screen(out, true, 80, false);
  print_json(screen, {facts, sample(), {}}, Exit::findings);
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["schema"], "manactl.check/2");
  EXPECT_EQ(document["exit"], 1);
  EXPECT_EQ(document["healthy"], false);
  EXPECT_EQ(document["counts"]["skipped"], 3);
  EXPECT_EQ(document["complete"], false);
  const auto& failed = document["checks"][2];
  EXPECT_EQ(failed["id"], "kernel.mana");
  EXPECT_EQ(failed["group"], "kernel");
  EXPECT_EQ(failed["status"], "fail");
  EXPECT_EQ(failed["remedy"]["commands"][0], "modprobe mana");
  EXPECT_TRUE(document["checks"][1]["remedy"].is_null());
  EXPECT_EQ(document["host"]["nics"].size(), 2U);
  EXPECT_EQ(document["host"]["nics"][1]["path"], "VF");
  EXPECT_EQ(document["host"]["nics"][1]["free"], true);
  EXPECT_TRUE(document["host"]["nics"][1]["reason"].is_null());
}

TEST(CheckJson, NamesTheSubjectsOfACheck) {
  const auto facts = host::facts_of("healthy-two-nics");
  diag::Report report;
  report.outcomes.push_back({row("interfaces.x", "x"), diag::warn("eth1: VF enP30832p0s0d1", {})});
  report.outcomes.push_back({row("hardware.x", "x"), diag::pass("7870:00:00.0, not eth10")});
  std::ostringstream out;
  Screen screen(out, true, 80, false);
  print_json(screen, {facts, report, {}}, Exit::ok);
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["checks"][0]["subjects"], nlohmann::json({"enP30832p0s0d1", "eth1"}));
  EXPECT_EQ(document["checks"][1]["subjects"], nlohmann::json({"7870:00:00.0"}));
}

}  // namespace
}  // namespace manactl::cli::render_check_test
