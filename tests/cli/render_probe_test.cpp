// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/doctor/probe.h"
#include "cli/doctor/render_doctor.h"

namespace manactl::cli::render_probe_test {
namespace {

using datapath::Outcome;
using datapath::ProbeReport;
using datapath::ProbeStage;
using datapath::Stage;
using testing::HasSubstr;
using testing::Not;

// Returns a report whose stages before `stage` passed.
ProbeReport ended_at(Stage stage, Outcome outcome, std::optional<Error> reason) {
  ProbeReport report;
  report.interface = "eth1";
  report.device = "mana_0";
  report.slot = "7870:00:00.0";
  report.port = 2;
  for (std::size_t i = 0; i < static_cast<std::size_t>(stage); ++i) {
    report.stages[i].outcome = Outcome::ok;
  }
  report.stages[static_cast<std::size_t>(stage)] = {outcome, "create_qp", std::move(reason)};
  return report;
}

ProbeReport passed() {
  return ended_at(Stage::release, Outcome::ok, std::nullopt);
}

std::string show(const ProbeReport& report) {
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  print_text(screen, report);
  return out.str();
}

TEST(ProbeText, ReportsThatDirectVerbsWork) {
  const auto shown = show(passed());
  EXPECT_TRUE(shown.starts_with("Probe of eth1: mana_0 at 7870:00:00.0, port 2\n")) << shown;
  EXPECT_THAT(shown, HasSubstr("\n  ok         RSS QP to receive\n"));
  EXPECT_THAT(
      shown,
      HasSubstr("Direct verbs work. No packets were sent, and all resources were released."));
}

TEST(ProbeText, ShowsCallAndErrnoOfAFailedStage) {
  const auto shown =
      show(ended_at(Stage::qp, Outcome::failed, Error{Errc::busy, EBUSY, "in use by \x1b"}));
  EXPECT_THAT(shown, HasSubstr("\n  failed     raw-packet QP to send (create_qp: EBUSY)\n"));
  EXPECT_THAT(shown, HasSubstr(R"(in use by \x1b)"));
  EXPECT_THAT(shown, HasSubstr("\n  not tried  RSS QP to receive\n"));
  EXPECT_THAT(shown, HasSubstr("No packets were sent."));
  EXPECT_THAT(shown, Not(HasSubstr("Direct verbs work")));
}

TEST(ProbeExit, DependsOnTheStageThatFailed) {
  const auto exit = [](Stage stage, Errc code) {
    return exit_of(ended_at(stage, Outcome::failed, Error{code, 0, "no"}));
  };
  EXPECT_EQ(exit_of(passed()), Exit::ok);
  EXPECT_EQ(exit(Stage::libraries, Errc::not_found), Exit::unsupported);
  EXPECT_EQ(exit(Stage::find, Errc::unsupported), Exit::unsupported);
  EXPECT_EQ(exit(Stage::open, Errc::denied), Exit::denied);
  EXPECT_EQ(exit(Stage::parent_domain, Errc::unsupported), Exit::findings);
  EXPECT_EQ(exit(Stage::qp, Errc::busy), Exit::busy);
  EXPECT_EQ(exit(Stage::cq, Errc::io), Exit::findings);
  EXPECT_EQ(exit_of(ended_at(Stage::find, Outcome::crashed, Error{Errc::io, 0, "crash"})),
            Exit::findings);
  EXPECT_EQ(
      exit_of(ended_at(Stage::qp, Outcome::not_tried, Error{Errc::denied, 0, "default route"})),
      Exit::denied);
}

TEST(DoctorText, StartsWithTheProbe) {
  const auto report = ended_at(Stage::qp, Outcome::failed, Error{Errc::busy, EBUSY, "no"});
  diag::Report checks;
  checks.outcomes.resize(31);
  const diag::Diagnosis healthy;
  std::ostringstream out;
  Screen screen(out, false, 80, false);
  print_text(screen, DoctorResult{healthy, checks, {}, {}, &report}, 0);
  EXPECT_TRUE(out.str().starts_with("Probe of eth1")) << out.str();
  EXPECT_THAT(out.str(), HasSubstr("\n\nThe checks found no cause: none of 31 checks failed"));
}

TEST(DoctorJson, ContainsTheProbe) {
  const auto report = ended_at(Stage::qp, Outcome::failed, Error{Errc::busy, EBUSY, "no"});
  const diag::Diagnosis healthy;
  const diag::Report checks;
  std::ostringstream out;
  print_json(out, DoctorResult{healthy, checks, {}, {}, &report}, Exit::busy);
  const auto probe = nlohmann::json::parse(out.str())["probe"];
  EXPECT_EQ(probe["ended_at"], "qp");
  EXPECT_EQ(probe["stages"][7]["error"], "EBUSY");
  EXPECT_EQ(probe["stages"][7]["errno"], EBUSY);
  EXPECT_EQ(probe["stages"][8]["outcome"], "not-tried");
  EXPECT_TRUE(probe["rdma_core"].is_null());
}

}  // namespace
}  // namespace manactl::cli::render_probe_test
