// SPDX-License-Identifier: MIT

#include "diag/runner.h"

#include <map>
#include <set>
#include <stdexcept>
#include <string>

#include "diag/fact_lookups.h"
#include "diag/vm.h"

namespace manactl::diag::runner_test {
namespace {

using test::healthy_vm;

Finding throws(const host::Facts& /*facts*/, const CheckOptions& /*options*/) {
  throw std::runtime_error("vector::at");
}

Finding passes(const host::Facts& /*facts*/, const CheckOptions& /*options*/) {
  return pass("fine");
}

TEST(EveryCheck, HasADifferentTitleForItsProblem) {
  std::set<std::string_view> titles;
  for (const Check& check : all_checks()) {
    EXPECT_NE(check.problem, "") << check.id;
    EXPECT_TRUE(titles.insert(check.title).second && titles.insert(check.problem).second)
        << check.id;
  }
}

TEST(Runner, TurnsACheckThatThrowsIntoUnknownAndRunsTheOthers) {
  const std::vector<Check> table = {{"a.broken", "", "", Requirement::none, Use::both, throws},
                                    {"a.sound", "", "", Requirement::none, Use::both, passes}};
  const Report report = run_all(table, healthy_vm(), {});
  ASSERT_EQ(report.outcomes.size(), 2U);
  EXPECT_EQ(report.outcomes[0].finding.status, Status::unknown);
  EXPECT_THAT(report.outcomes[0].finding.detail, testing::HasSubstr("vector::at"));
  EXPECT_EQ(report.outcomes[1].finding.status, Status::pass);
}

TEST(Runner, PassesEverythingOnAHealthyVm) {
  const auto report = run_checks(healthy_vm(), {}, {});
  ASSERT_TRUE(report);
  for (const CheckOutcome& outcome : report->outcomes) {
    const bool fine =
        outcome.finding.status == Status::pass || outcome.finding.status == Status::skipped;
    EXPECT_TRUE(fine) << outcome.check.id << ": " << outcome.finding.detail;
  }
  EXPECT_TRUE(report->healthy());
}

TEST(Runner, SkipsChecksThatRequireManaWithoutMana) {
  host::Facts facts = healthy_vm();
  facts.functions->clear();
  const auto report = run_checks(facts, {}, {"kernel", "rdma"});
  ASSERT_TRUE(report);
  EXPECT_EQ(report->count(Status::skipped), report->outcomes.size());
  EXPECT_EQ(report->outcomes.at(0).finding.detail, "no MANA function");
}

TEST(Runner, ReportsUnknownIfTheRequirementIsUnknown) {
  host::Facts facts = healthy_vm();
  facts.functions = test::unreadable();
  facts.nics = test::unreadable();
  EXPECT_EQ(test::run_check(facts, "kernel.mana").status, Status::unknown);
  EXPECT_EQ(test::run_check(facts, "interfaces.links").status, Status::unknown);
}

TEST(Runner, SkipsNicChecksForAnotherInterface) {
  CheckOptions options;
  options.interface = "docker0";
  const Finding finding = test::run_check(healthy_vm(), "interfaces.links", options);
  EXPECT_EQ(finding.status, Status::skipped);
  EXPECT_THAT(finding.detail, testing::HasSubstr("docker0"));
}

TEST(Runner, SelectsByIdAndGroup) {
  const auto report = run_checks(healthy_vm(), {}, {"memory", "rdma.core"});
  ASSERT_TRUE(report);
  std::vector<std::string> ids;
  for (const CheckOutcome& outcome : report->outcomes) ids.emplace_back(outcome.check.id);
  EXPECT_THAT(
      ids,
      testing::ElementsAre(
          "rdma.core", "memory.hugepages", "memory.node", "memory.testpmd", "memory.mounts"));
}

TEST(Runner, SuggestsTheNearestCheckForAMisspelledId) {
  const auto report = run_checks(healthy_vm(), {}, {"memory", "rdma.drver-id"});
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().code, Errc::invalid);
  EXPECT_THAT(report.error().message, testing::HasSubstr("'rdma.drver-id'"));
  EXPECT_THAT(report.error().message, testing::HasSubstr("'rdma.driver-id'"));
}

TEST(Runner, SuggestsNothingForAnUnrelatedWord) {
  const auto report = run_checks(healthy_vm(), {}, {"zzzzzzzz"});
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().message, testing::Not(testing::HasSubstr("mean")));
}

TEST(Report, FindsAndCounts) {
  const auto report = run_checks(healthy_vm(), {}, {"memory"});
  ASSERT_TRUE(report);
  EXPECT_NE(report->find("memory.node"), nullptr);
  EXPECT_EQ(report->find("memory"), nullptr);
  EXPECT_EQ(report->count(Status::pass), 3U);
}

TEST(Checks, HaveUniqueIdsKnownGroupsAndCausesThatExist) {
  const std::vector<std::string> groups = {
      "hardware", "interfaces", "kernel", "rdma", "dpdk", "memory", "speed", "move"};
  std::vector<std::string_view> seen;
  for (const Check& check : all_checks()) {
    EXPECT_THAT(seen, testing::Not(testing::Contains(check.id)));
    EXPECT_THAT(groups, testing::Contains(std::string(check.group())));
    EXPECT_FALSE(check.title.empty()) << check.id;
    for (const std::string_view cause : check.caused_by) {
      EXPECT_NE(find_check(cause), nullptr) << check.id << " is caused by " << cause;
      EXPECT_NE(cause, check.id);
    }
    seen.push_back(check.id);
  }
}

// Users paste a whole remedy over SSH, so it must not end the session. Each distribution has one
// package manager.
TEST(Checks, NeverSuggestARebootNorTheCommandOfAnotherDistribution) {
  const std::map<std::string, std::string> managers = {
      {"ubuntu", "apt-get"},
      {"debian", "apt-get"},
      {"rhel", "dnf"},
      {"almalinux", "dnf"},
      {"rocky", "dnf"},
      {"ol", "dnf"},
      {"azurelinux", "tdnf"},
      {"sles", "zypper"},
      {"gentoo", "none"},
  };
  for (const auto& [distribution, own] : managers) {
    host::Facts facts = healthy_vm();
    facts.kernel->distribution = distribution;
    facts.kernel->release = "6.1.0-1";
    for (host::Module& module : facts.modules) module.presence = Presence::missing;
    facts.rdma.devices->at(0).driver_id = 19;
    facts.rdma.providers->at(0).library = "liberdma-rdmav34.so";
    const auto report = run_checks(facts, {}, {});
    ASSERT_TRUE(report);
    EXPECT_GE(report->count(Status::fail), 5U);
    std::string all;
    for (const CheckOutcome& outcome : report->outcomes) {
      all += test::commands_of(outcome.finding) + "\n";
    }
    EXPECT_THAT(all, testing::Not(testing::HasSubstr("reboot"))) << distribution;
    for (const std::string manager : {"apt-get", "dnf", "tdnf", "zypper"}) {
      const bool found = testing::Value("\n" + all, testing::HasSubstr("\n" + manager + " "));
      EXPECT_EQ(found, manager == own) << distribution << ": " << manager << "\n" << all;
    }
  }
}

TEST(Checks, HaveNoCircularCauses) {
  for (const Check& check : all_checks()) {
    std::vector<std::string_view> open(check.caused_by.begin(), check.caused_by.end());
    std::vector<std::string_view> seen;
    while (!open.empty()) {
      const std::string_view id = open.back();
      open.pop_back();
      ASSERT_NE(id, check.id);
      if (testing::Value(seen, testing::Contains(id))) continue;
      seen.push_back(id);
      const auto more = find_check(id)->caused_by;
      open.insert(open.end(), more.begin(), more.end());
    }
  }
}

TEST(SelectedNics, FindsANicByItsVfName) {
  const host::Facts facts = healthy_vm();
  CheckOptions options;
  options.interface = "enP30832s1d1";
  const auto nics = selected_nics(facts, options);
  ASSERT_EQ(nics.size(), 1U);
  EXPECT_EQ(nics[0]->name(), "eth1");
  EXPECT_EQ(selected_nics(facts, {}).size(), 2U);
}

}  // namespace
}  // namespace manactl::diag::runner_test
