// SPDX-License-Identifier: MIT
//
// Tests diagnoses of logs whose signatures are made for one rule each.

#include <gmock/gmock.h>

#include <deque>

#include "diag/logs.h"

namespace manactl::diag::symptoms_test {
namespace {

using test::ids;
using test::root_id;
using testing::ElementsAre;
using testing::IsEmpty;

// One log. The signatures of its entries live as long as it.
class Log {
 public:
  Log() { report_.has_platform = true; }

  Signature& add(const std::string& id, Role role, int rank, std::uint64_t last_line = 0) {
    auto& signature = signatures_.emplace_back();
    signature.id = id;
    signature.role = role;
    signature.rank = rank;
    report_.entries.push_back({&signature, {"a.log", 1, id}, 1, {}, last_line, false});
    return signature;
  }

  LogReport& report() { return report_; }

  Diagnosis diagnose(const Report& checks = {}) const { return diag::diagnose(checks, {report_}); }

 private:
  std::deque<Signature> signatures_;
  LogReport report_;
};

CheckOutcome outcome(std::string_view id,
                     Finding finding,
                     std::span<const std::string_view> caused_by = {}) {
  return {Check{id, "title", "problem", Requirement::none, Use::both, nullptr, caused_by},
          std::move(finding)};
}

struct Explanation {
  std::string pattern;
  Role role;  // of the other signature
  int rank;   // of the other signature; that of the explained one is 5
  bool explains;
};

TEST(Symptoms, AreExplainedByNamesAndByPatternsOfAHigherRank) {
  const std::vector<Explanation> table = {
      {"mana-other", Role::cause, 1, true},
      {"mana-other", Role::consequence, 9, false},
      {"mana-oth", Role::cause, 9, false},
      {"mana-*", Role::cause, 6, true},
      {"mana-*", Role::cause, 5, false},
      {"mana-*", Role::cause, 4, false},
      {"eal-*", Role::cause, 6, false},
      {"*", Role::cause, 6, true},
      {"*", Role::cause, 5, false},
  };
  for (const auto& row : table) {
    Log log;
    log.add("mana-one", Role::cause, 5).explained_by = {"none", row.pattern};
    log.add("mana-other", row.role, row.rank);
    const auto diagnosis = log.diagnose();
    EXPECT_EQ(testing::Value(ids(diagnosis.consequences), testing::Contains("mana-one")),
              row.explains)
        << row.pattern << row.rank;
  }
}

TEST(Symptoms, AreHarmlessWithoutTheLinesThatTheyNeed) {
  Log log;
  log.add("warning", Role::cause, 5).benign_without = {"crash", "exit"};
  log.report().entries.push_back({nullptr, {"a.log", 2, "error"}, 1, {}, 2, false});
  EXPECT_EQ(root_id(log.diagnose()), "");
  EXPECT_THAT(ids(log.diagnose().benign), ElementsAre("warning"));
  log.add("exit", Role::consequence, 1);
  EXPECT_EQ(root_id(log.diagnose()), "warning");
}

TEST(Symptoms, AreOrderedByConfirmationAndRank) {
  Log log;
  const Report checks{{outcome("a.fails", fail("f", {})), outcome("a.passes", pass("p"))}};
  log.add("root", Role::cause, 1).checks = {"a.fails"};
  auto& contradicted = log.add("contradicted", Role::cause, 9);
  contradicted.checks = {"a.passes"};
  contradicted.passing_contradicts = true;
  log.add("low", Role::cause, 3);
  log.add("high", Role::cause, 4);
  log.add("later", Role::cause, 4);
  const auto diagnosis = log.diagnose(checks);
  EXPECT_EQ(root_id(diagnosis), "root");
  EXPECT_THAT(ids(diagnosis.others), ElementsAre("high", "later", "low", "contradicted"));
}

TEST(Symptoms, KeepAllTextsExceptTheCommandsOfHarmlessLines) {
  for (const Role role : {Role::cause, Role::benign}) {
    Log log;
    auto& signature = log.add("id", role, 1);
    signature.title = "title";
    signature.cause = "cause";
    signature.fix = "fix";
    signature.commands = {"command"};
    log.report().entries[0].count = 3;
    log.report().lines = 7;
    log.report().more_unknown = 2;
    log.report().entries.push_back({nullptr, {"a.log", 5, "error"}, 4, {}, 5, false});
    const auto diagnosis = diagnose({}, {log.report(), log.report()});
    EXPECT_EQ(diagnosis.lines, 14U);
    EXPECT_EQ(diagnosis.more_unknown, 4U);
    ASSERT_EQ(diagnosis.unknown.size(), 2U);
    EXPECT_EQ(diagnosis.unknown[0].count, 4U);
    EXPECT_EQ(diagnosis.unknown[0].title, "Unrecognized error");
    const auto item = role == Role::cause ? diagnosis.root.value() : diagnosis.benign.at(0);
    EXPECT_EQ(item.title + item.cause + item.fix, "titlecausefix");
    EXPECT_EQ(item.quote->text + item.quote->log, "ida.log");
    EXPECT_EQ(item.count, 6U);
    EXPECT_EQ(item.commands.size(), role == Role::cause ? 1U : 0U);
  }
}

TEST(Symptoms, AreJudgedByTheReleaseOfTheirLog) {
  struct Case {
    std::string release, note;
  };

  const std::string of = "the release of this log, ";
  const std::vector<Case> table = {
      {"", ""},
      {"22.07", "DPDK 22.07, " + of + "does not print this line"},
      {"22.11", "DPDK 22.11, " + of + "lacks a fix that is in 23.11.2, 24.11"},
      {"23.11.1", "DPDK 23.11.1, " + of + "lacks a fix that is in 23.11.2, 24.11"},
      {"23.11.2", "DPDK 23.11.2, " + of + "already has the DPDK fix"},
      {"25.03", "DPDK 25.03, " + of + "does not print this line"},
  };
  for (const auto& [release, note] : table) {
    Log log;
    auto& signature = log.add("id", Role::cause, 1);
    log.add("plain", Role::cause, 0);
    signature.printed_from = "22.11";
    signature.removed_in = {"25.03"};
    signature.fixed_in = {"23.11.2", "24.11"};
    log.report().dpdk_release = release;
    const auto diagnosis = log.diagnose();
    EXPECT_EQ(diagnosis.root->note, note);
    EXPECT_EQ(diagnosis.others.at(0).note, "");
  }
}

TEST(Symptoms, TakeCommandsOnlyFromChecksThatFailed) {
  Log log;
  auto& signature = log.add("id", Role::cause, 1);
  signature.commands = {"generic"};
  signature.checks = {"a.b"};
  const auto commands_with = [&log](Finding finding) {
    return log.diagnose({{outcome("a.b", std::move(finding))}}).root->commands;
  };
  EXPECT_THAT(commands_with(fail("f", {"why", {"repair eth1"}})), ElementsAre("repair eth1"));
  EXPECT_THAT(commands_with(fail("f", {"why", {}})), ElementsAre());
  EXPECT_THAT(commands_with(pass("p")), ElementsAre("generic"));
}

constexpr std::array<std::string_view, 1> kByPassing = {"a.passes"};
constexpr std::array<std::string_view, 1> kByFailing = {"a.fails"};

TEST(FailedChecks, AreNotExplainedByAPassingCheckThatContradictsALine) {
  Log log;
  auto& signature = log.add("past", Role::cause, 1);
  signature.checks = {"a.passes"};
  signature.passing_contradicts = true;
  const auto diagnosis = log.diagnose(
      {{outcome("a.passes", pass("p")), outcome("a.fails", fail("f", {"why", {}}), kByPassing)}});
  EXPECT_EQ(root_id(diagnosis), "a.fails");
  EXPECT_EQ(diagnosis.root->title, "problem");
  EXPECT_EQ(diagnosis.root->cause, "f");
  EXPECT_EQ(diagnosis.root->fix, "why");
  EXPECT_EQ(diagnosis.root->count, 1U);
  EXPECT_EQ(diagnosis.root->confirmation, Confirmation::confirmed);
  EXPECT_EQ(diagnosis.root->confirmed_by, "a.fails: f");
  EXPECT_THAT(diagnosis.consequences, IsEmpty());
}

TEST(FailedChecks, AreReportedNextToALogWithAnotherCause) {
  Log log;
  log.add("root", Role::cause, 1).checks = {"a.fails"};
  const auto diagnosis = log.diagnose({{outcome("a.fails", fail("f", {})),
                                        outcome("a.follows", fail("g", {}), kByFailing),
                                        outcome("b.warns", warn("w", {})),
                                        outcome("b.fails", fail("h", {}))}});
  EXPECT_EQ(root_id(diagnosis), "root");
  EXPECT_THAT(ids(diagnosis.others), ElementsAre("b.fails"));
  EXPECT_THAT(ids(diagnosis.consequences), ElementsAre("a.follows"));
}

}  // namespace
}  // namespace manactl::diag::symptoms_test
