// SPDX-License-Identifier: MIT

#include "cli/render_doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

namespace manactl::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

diag::Diagnosis sick() {
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
  text(screen, result, verbosity);
  return out.str();
}

TEST(DoctorText, BeginsWithTheRoot) {
  const auto diagnosis = sick();
  const auto shown = show({diagnosis, {}, {}, {}, Exit::findings});
  EXPECT_TRUE(shown.starts_with("Root cause: No port has this MAC\n  a.log:12\n")) << shown;
  EXPECT_THAT(shown, HasSubstr(R"(\x1b[1mno port)"));
  EXPECT_THAT(shown, HasSubstr("ip -br link"));
  EXPECT_THAT(shown, HasSubstr("confirmed by interfaces.pairs"));
  EXPECT_THAT(shown, HasSubstr("- No Ethernet ports (a.log:15, 2 times)"));
  EXPECT_THAT(shown, HasSubstr("- ERROR: something new (a.log:16)"));
  EXPECT_THAT(shown, Not(HasSubstr("No cause found")));
}

TEST(DoctorText, IsOneSentenceWhenHealthy) {
  diag::Diagnosis healthy;
  healthy.lines = 3;
  const auto shown = show({healthy, {}, {{"a.log", 3, ""}}, {}, Exit::ok});
  EXPECT_EQ(shown, "No cause found: 3 lines of log show nothing that is wrong.\n");
}

TEST(DoctorText, SaysThatALogWasJudgedAlone) {
  const diag::Diagnosis healthy;
  const auto shown = show({healthy, {}, {{"a.log", 0, ""}}, {"judged alone"}, Exit::ok});
  EXPECT_THAT(shown, HasSubstr("Note: judged alone"));
}

TEST(DoctorJson, NamesTheRootOrNull) {
  const auto diagnosis = sick();
  std::ostringstream out;
  json(out, {diagnosis, {}, {{"a.log", 20, "24.11.2"}}, {}, Exit::findings});
  const auto document = nlohmann::json::parse(out.str());
  EXPECT_EQ(document["schema"], "manactl.doctor/1");
  EXPECT_EQ(document["root"]["id"], "mana-no-port");
  EXPECT_EQ(document["root"]["quote"]["line"], 12);
  EXPECT_EQ(document["root"]["confirmation"]["state"], "confirmed");
  EXPECT_EQ(document["unknown"][0]["id"], nullptr);
  EXPECT_EQ(document["logs"][0]["dpdk"], "24.11.2");
  const diag::Diagnosis none;
  std::ostringstream healthy;
  json(healthy, {none, {}, {}, {}, Exit::ok});
  EXPECT_TRUE(nlohmann::json::parse(healthy.str())["root"].is_null());
}

}  // namespace
}  // namespace manactl::cli
