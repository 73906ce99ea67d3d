// SPDX-License-Identifier: MIT

#include "cli/doctor/render_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace manactl::cli::render_doctor_test {
namespace {

using testing::HasSubstr;
using testing::Not;

diag::Diagnosis diagnosis_with_root() {
  diag::Diagnosis diagnosis;
  diag::Diagnosis::Item root;
  root.id = "mana-no-port";
  root.title = "No port has this MAC";
  root.quote = diag::Quote{"a.log", 12, "MANA_DRIVER: \x1b[1mno port"};
  root.cause = "The MAC is of another NIC.";
  root.fix = "Give the right one.";
  root.commands = {"ip -br link"};
  root.confirmation = diag::Confirmation::confirmed;
  root.confirmed_by = "interfaces.pairs";
  diagnosis.root = root;
  diag::Diagnosis::Item shadow;
  shadow.id = "no-ports";
  shadow.title = "No Ethernet ports";
  shadow.quote = diag::Quote{"a.log", 15, "EAL: no ports"};
  shadow.count = 2;
  diagnosis.consequences.push_back(shadow);
  diag::Diagnosis::Item unknown;
  unknown.quote = diag::Quote{"a.log", 16, "ERROR: something new"};
  diagnosis.unknown.push_back(unknown);
  diagnosis.lines = 20;
  return diagnosis;
}

std::string show(const DoctorResult& result, int verbosity = 0) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  print_text(screen, result, verbosity);
  return out.str();
}

TEST(DoctorText, StartsWithTheRootCause) {
  const auto diagnosis = diagnosis_with_root();
  const auto shown = show({diagnosis, {}, {}, {}});
  EXPECT_TRUE(shown.starts_with("Root cause: No port has this MAC\n  line 12: MANA_DRIVER: "))
      << shown;
  EXPECT_THAT(shown, HasSubstr(R"(\x1b[1mno port)"));
  EXPECT_THAT(shown, HasSubstr("ip -br link"));
  EXPECT_THAT(shown, HasSubstr("Here     confirmed: interfaces.pairs"));
  EXPECT_THAT(shown, HasSubstr("\n1 consequence, 1 unrecognized error (-v shows them)\n"));
  EXPECT_THAT(shown, Not(HasSubstr("something new")));
  const auto all = show({diagnosis, {}, {}, {}}, 1);
  EXPECT_TRUE(all.starts_with("Root cause: No port has this MAC\n  line 12\n    MANA")) << all;
  EXPECT_THAT(all, HasSubstr("- No Ethernet ports (line 15, 2 times)"));
  EXPECT_THAT(all, HasSubstr("- ERROR: something new (line 16)"));
  EXPECT_THAT(shown, Not(HasSubstr("No cause found")));
}

TEST(DoctorText, PrintsOnlyTheCommandsOfTheBestFixWithoutV) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->other_fixes = {{"build it:", {"make best"}}};
  diagnosis.others = {*diagnosis.root};
  diagnosis.others.front().commands = {"ip -d link"};
  diagnosis.others.front().other_fixes.clear();
  const auto shown = show({diagnosis, {}, {}, {}});
  EXPECT_THAT(shown, HasSubstr("\n             ip -br link\n  Here     confirmed: "));
  EXPECT_THAT(shown, HasSubstr("Also: No port has this MAC (line 12)\n"));
  EXPECT_THAT(shown, HasSubstr(", 1 other solution (-v shows"));
  EXPECT_THAT(shown, Not(HasSubstr("ip -d link")));
  const auto all = show({diagnosis, {}, {}, {}}, 1);
  for (const auto* command : {"ip -br link", "make best", "ip -d link"}) {
    EXPECT_THAT(all, HasSubstr(command));
  }
}

TEST(DoctorText, NamesTheLogOfALineIfThereAreSeveral) {
  const auto diagnosis = diagnosis_with_root();
  const auto shown = show({diagnosis, {}, {{"a.log", 20, ""}, {"b.log", 3, ""}}, {}});
  EXPECT_THAT(shown, HasSubstr("Root cause: No port has this MAC\n  a.log:12: "));
}

TEST(DoctorText, CountsHarmlessMessages) {
  diag::Diagnosis diagnosis;
  diag::Diagnosis::Item benign;
  benign.id = "mana-no-symbol";
  benign.title = "A symbol is missing";
  benign.quote = diag::Quote{"a.log", 4, "no symbol"};
  benign.count = 3;
  diagnosis.benign = {benign, benign};
  EXPECT_THAT(show({diagnosis, {}, {}, {}}), HasSubstr("6 harmless messages (-v shows them)\n"));
  EXPECT_THAT(show({diagnosis, {}, {}, {}}, 1),
              HasSubstr("Harmless messages:\n  - A symbol is missing (line 4, 3 times)\n"));
}

TEST(DoctorText, PrintsTheCauseOfAFailedCheckOnce) {
  diag::Diagnosis diagnosis;
  diag::Diagnosis::Item root;
  root.id = "rdma.core";
  root.title = "rdma-core has no provider for MANA";
  root.cause = "rdma-core 39 is older than MANA (44)";
  root.confirmation = diag::Confirmation::confirmed;
  root.confirmed_by = "rdma.core: rdma-core 39 is older than MANA (44)";
  diagnosis.root = root;
  diag::Diagnosis::Item shadow;
  shadow.id = "rdma.provider";
  shadow.title = "libibverbs did not choose MANA's provider";
  shadow.cause = "mana_0: none";
  diagnosis.consequences.push_back(shadow);
  EXPECT_EQ(show({diagnosis, {}, {}, {}}),
            "Root cause: rdma-core has no provider for MANA\n"
            "  Check    rdma.core\n"
            "  Cause    rdma-core 39 is older than MANA (44)\n"
            "1 consequence (-v shows them)\n");
  EXPECT_THAT(show({diagnosis, {}, {}, {}}, 1), HasSubstr("mana_0: none"));
}

TEST(DoctorText, OmitsWhatIsLeastImportantIfTheAnswerHasMoreThan12Rows) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->cause =
      "The MAC is of another NIC. This sentence is only in the complete answer.";
  diagnosis.root->fix = "Give the right one. Then restart the program.";
  diagnosis.root->commands.assign(7, "ip -br link");
  const std::vector<std::string> notes = {"first", "second"};
  const auto shown = show({diagnosis, {}, {}, notes});
  EXPECT_EQ(std::ranges::count(shown, '\n'), 12) << shown;
  EXPECT_THAT(shown,
              HasSubstr("  Fix      Give the right one. (-v shows the rest)\n"
                        "             ip -br link\n"));
  EXPECT_THAT(shown, Not(HasSubstr("Here")));
  EXPECT_THAT(shown, Not(HasSubstr("Note: ")));
  diagnosis.root->commands.assign(8, "ip -br link");
  const auto longer = show({diagnosis, {}, {}, notes});
  EXPECT_THAT(longer, HasSubstr("Fix      Give the right one (-v shows how).\n1 consequence"));
  EXPECT_THAT(show({diagnosis, {}, {}, notes}, 1), HasSubstr("This sentence is only in the"));
}

TEST(DoctorText, BeginsWithTheCommandThatDecidesMostPossibleCauses) {
  auto diagnosis = diagnosis_with_root();
  const auto add = [&diagnosis](const char* confirm, std::vector<std::string> checks) {
    diagnosis.root->alternatives.push_back(
        {"x", confirm, diag::Confirmation::undecided, "", {}, std::move(checks)});
  };
  add("the line contains 'y'", {});
  add("`ip -br link` prints DOWN", {"interfaces.up"});
  add("`dmesg | grep mana` prints a line", {});
  EXPECT_THAT(show({diagnosis, {}, {}, {}}),
              HasSubstr("another NIC. 3 causes are possible (-v lists them).\n"
                        "  First    `ip -br link` tests 1 of them\n"));
  add("`dmesg | grep -E \"VF slot|HWC\"` prints a line", {});
  EXPECT_THAT(show({diagnosis, {}, {}, {}}),
              HasSubstr("  First    `dmesg | grep -E \"mana|VF slot|HWC\"` tests 2 of them\n"));
  add("`lsmod` prints nothing", {"kernel.mana", "rdma.core"});
  EXPECT_THAT(show({diagnosis, {}, {}, {}}),
              HasSubstr("`manactl check --only interfaces.up,kernel.mana,rdma.core` tests 2 of\n"));
}

TEST(DoctorText, NamesTheOnlyCauseThatIsNotContradicted) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->alternatives = {
      {"the link is down", "`ip -br link`", diag::Confirmation::undecided, ""},
      {"no module", "`lsmod`", diag::Confirmation::contradicted, "kernel.mana: x"}};
  EXPECT_THAT(show({diagnosis, {}, {}, {}}), HasSubstr("  Cause    The link is down.\n"));
  diagnosis.root->alternatives.front().confirmation = diag::Confirmation::contradicted;
  EXPECT_THAT(show({diagnosis, {}, {}, {}}), HasSubstr("All known causes are contradicted"));
}

TEST(DoctorText, PrintsEachAlternativeWithItsDecisionOrTheWayToConfirmIt) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->alternatives = {
      {"the link is down", "`ip -br link`", diag::Confirmation::undecided, ""},
      {"the module is missing", "`lsmod`", diag::Confirmation::contradicted, "kernel.mana: x"}};
  const auto shown = show({diagnosis, {}, {}, {}}, 1);
  EXPECT_THAT(shown,
              HasSubstr("           Possible causes:\n"
                        "           - the link is down; to confirm: `ip -br link`\n"
                        "           - the module is missing; contradicted: kernel.mana: x\n"));
}

TEST(DoctorText, PrintsOtherCausesThanTheConfirmedOneOnlyWithMoreDetail) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->alternatives = {
      {"no memory", "`free`", diag::Confirmation::contradicted, "the line contains '-1'"},
      {"no rights", "`id`", diag::Confirmation::confirmed, "the line contains '-1'"},
      {"no port", "`ip link`", diag::Confirmation::undecided, ""}};
  const auto brief = show({diagnosis, {}, {}, {}});
  EXPECT_THAT(brief, HasSubstr("  Cause    No rights.\n"));
  EXPECT_THAT(brief, HasSubstr("  Here     confirmed: the line contains '-1'\n"));
  const auto complete = show({diagnosis, {}, {}, {}}, 1);
  for (const char* other : {"- no memory; contradicted: the line contains '-1'\n",
                            "- no port; to confirm: `ip link`\n"}) {
    EXPECT_THAT(brief, Not(HasSubstr(other)));
    EXPECT_THAT(complete, HasSubstr(other));
  }
}

TEST(DoctorText, PrintsTheNoteAboutTheReleaseOfTheLog) {
  auto diagnosis = diagnosis_with_root();
  diagnosis.root->note = "DPDK 24.11.2 of this log lacks a fix";
  diagnosis.root->confirmation = diag::Confirmation::contradicted;
  const auto shown = show({diagnosis, {}, {}, {}});
  EXPECT_THAT(shown, HasSubstr("  Note     DPDK 24.11.2 of this log lacks a fix\n"));
  EXPECT_THAT(shown, HasSubstr("Here     contradicted: interfaces.pairs"));
}

TEST(DoctorText, CountsWarningsAndUnknownsWhenNothingFailed) {
  diag::Report report;
  for (const auto& finding : {diag::pass("x"), diag::warn("y", {}), diag::unknown("z")}) {
    report.outcomes.push_back({{}, finding});
  }
  const diag::Diagnosis none;
  EXPECT_EQ(show({none, report, {}, {}}),
            "No cause found: none of 3 checks failed (1 warned, 1 unknown: see\n"
            "'manactl check').\n");
}

TEST(DoctorText, PrintsOneSentenceWhenHealthy) {
  diag::Diagnosis healthy;
  healthy.lines = 3;
  const auto shown = show({healthy, {}, {{"a.log", 3, ""}}, {}});
  EXPECT_EQ(shown, "No cause found: 3 log lines contain no error.\n");
}

TEST(DoctorText, PrintsNotes) {
  const diag::Diagnosis healthy;
  const auto shown = show({healthy, {}, {{"a.log", 0, ""}}, {"only the log was analyzed"}});
  EXPECT_THAT(shown, HasSubstr("Note: only the log was analyzed"));
}

TEST(DoctorJson, ContainsTheRootCauseOrNull) {
  const auto diagnosis = diagnosis_with_root();
  std::ostringstream out;
  print_json(out, {diagnosis, {}, {{"a.log", 20, "24.11.2"}}, {}}, Exit::findings);
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["schema"], "manactl.doctor/4");
  EXPECT_EQ(document["root"]["id"], "mana-no-port");
  EXPECT_EQ(document["root"]["quote"]["line"], 12);
  EXPECT_EQ(document["root"]["confirmation"]["state"], "confirmed");
  EXPECT_EQ(document["unknown"][0]["id"], nullptr);
  EXPECT_EQ(document["root"]["remedy"]["why"], "Give the right one.");
  EXPECT_EQ(document["root"]["remedy"]["others"], nullptr);
  EXPECT_EQ(document["logs"][0]["dpdk"], "24.11.2");
  auto absent = diagnosis;
  absent.root->cause = absent.root->fix = absent.root->note = absent.root->confirmed_by = "";
  absent.root->alternatives = {{}};
  std::ostringstream empty;
  print_json(empty, {absent, {}, {{"a.log", 20, ""}}, {}}, Exit::findings);
  const auto nulls = nlohmann::json::parse(empty.str());
  for (const auto* member : {"cause", "remedy", "note"}) EXPECT_EQ(nulls["root"][member], nullptr);
  EXPECT_EQ(nulls["root"]["confirmation"]["by"], nullptr);
  EXPECT_EQ(nulls["root"]["alternatives"][0]["by"], nullptr);
  EXPECT_EQ(nulls["root"]["alternatives"][0]["confirm"], nullptr);
  EXPECT_EQ(nulls["logs"][0]["dpdk"], nullptr);
  const diag::Diagnosis none;
  std::ostringstream healthy;
  print_json(healthy, {none, {}, {}, {}}, Exit::ok);
  EXPECT_TRUE(nlohmann::json::parse(healthy.str())["root"].is_null());
}

}  // namespace
}  // namespace manactl::cli::render_doctor_test
