// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::doctor_ticket_test {
namespace {

using testing::HasSubstr;

constexpr const char* kTicket =
    "user@vm1:~$ lspci -nnk\n"
    "7870:00:00.0 Ethernet controller [0200]: Microsoft Corporation Device [1414:00ba]\n"
    "\tKernel modules: mana\n"
    "user@vm1:~$ uname -r\n";

TEST(DoctorTicket, ChecksTheMachineOfATicket) {
  const TemporaryDirectory directory;
  const auto log = directory.file("ticket.txt", kTicket);
  const auto outcome = manactl({"doctor", log, "-v"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_THAT(outcome.out,
              HasSubstr("Root cause: A MANA function is not bound to the mana driver\n"
                        "  line 2\n    7870:00:00.0 Ethernet controller"));
  EXPECT_THAT(outcome.out, HasSubstr("outputs of commands: lspci (line 1)"));
  EXPECT_THAT(outcome.out, HasSubstr("Note: the checks used the outputs of commands in the log"));
  const auto document = nlohmann::json::parse(manactl({"doctor", log, "--json"}).out);
  EXPECT_EQ(document["root"]["quote"]["line"], 2);
  EXPECT_EQ(document["logs"][0]["outputs"][0], "lspci (line 1)");
}

TEST(DoctorTicket, UsesNoTicketsOfSeveralMachines) {
  const TemporaryDirectory directory;
  const auto outcome = manactl(
      {"doctor", directory.file("1.txt", kTicket), directory.file("2.txt", kTicket), "--json"});
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(document["root"].is_null()) << outcome.out;
  EXPECT_THAT(outcome.out, HasSubstr("perhaps of several machines: none is used"));
}

TEST(DoctorTicket, PrefersTheCapturedMachineToATicket) {
  const TemporaryDirectory directory;
  const auto log = directory.file("ticket.txt", kTicket);
  const auto outcome = manactl({"doctor", log, "--root", fixture("mana-ib-missing"), "--json"});
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["root"]["id"].get<std::string>().substr(0, 7), "kernel.") << outcome.out;
}

}  // namespace
}  // namespace manactl::test::doctor_ticket_test
