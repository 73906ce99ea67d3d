// SPDX-License-Identifier: MIT

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::cmd_doctor_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// The last lines that testpmd prints if it finds no ports.
constexpr const char* kNoPorts =
    "EAL: Detected CPU lcores: 2\n"
    "testpmd: No probed ethernet devices\n"
    "EAL: Error - exiting with code: 1\n";

std::string log_of(const std::string& name) {
  return "--log=" MANACTL_SOURCE_DIR "/tests/logs/" + name;
}

TEST(Doctor, AnalyzesALogOnACapturedMachineWithoutMana) {
  ProcessOptions process;
  process.input = "EAL: Detected CPU lcores: 2\n";
  const auto outcome =
      manactl({"doctor", "--log", "-", "--root", fixture("not-azure"), "--json"}, process);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_TRUE(document["root"].is_null()) << outcome.out;
  EXPECT_THAT(document["notes"][0].get<std::string>(), HasSubstr("may be from another machine"));
}

TEST(Doctor, FindsTheRootCauseOnACapturedMachine) {
  const auto outcome = manactl({"doctor", "--root", fixture("mana-ib-missing"), "--json"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["root"]["id"].get<std::string>().substr(0, 7), "kernel.") << outcome.out;
}

TEST(Doctor, OfANicNamesTheCommandThatJudgesIt) {
  for (const auto* nic : {"eth1", "7870:00:00.0", "00:0d:3a:76:3b:d1"}) {
    const auto outcome = manactl({"doctor", nic});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, HasSubstr(std::string("'manactl check ") + nic + "' judges a NIC"));
  }
  EXPECT_THAT(manactl({"doctor", "nosuch.log"}).err, testing::Not(HasSubstr("manactl check")));
}

TEST(Doctor, ReadsSeveralLogs) {
  const TemporaryDirectory directory;
  const auto outcome = manactl({"doctor",
                                "--root",
                                fixture("not-azure"),
                                "--json",
                                "--log",
                                directory.file("a.log", "EAL: Detected CPU lcores: 2\n"),
                                "--log=" + directory.file("b.log", "two\nthree\n")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  ASSERT_EQ(document["logs"].size(), 2U);
  EXPECT_EQ(document["logs"][1]["lines"], 2);
}

TEST(Doctor, ReadsALogOnceIfItIsNamedTwice) {
  const TemporaryDirectory directory;
  const auto log = directory.file("testpmd.log", kNoPorts);
  const auto other = directory.path("link.log");
  std::filesystem::create_symlink(log, other);
  const auto document_of = [](const std::vector<std::string>& logs) {
    std::vector<std::string> words = {"doctor", "--json", "--root", fixture("healthy-two-nics")};
    words.insert(words.end(), logs.begin(), logs.end());
    return nlohmann::json::parse(manactl(words).out);
  };
  const auto once = document_of({log});
  const auto twice = document_of({log, "--log", log, other});
  EXPECT_EQ(twice["lines"], once["lines"]);
  EXPECT_EQ(twice["logs"].size(), 1U);
  EXPECT_THAT(twice["notes"].dump(),
              HasSubstr(fmt::format("the log '{}' is given more than once; it is read once", log)));
}

TEST(Doctor, ReportsThatALogIsNotAboutMana) {
  ProcessOptions process;
  process.input = "nginx: error 17\n";
  const std::vector<std::string> words = {"doctor", "--log", "-", "--root"};
  const auto on = [&](const std::string& machine) {
    auto command = words;
    command.push_back(fixture(machine));
    return manactl(command, process);
  };
  EXPECT_EQ(on("not-azure").code, 3);
  EXPECT_THAT(on("not-azure").out, HasSubstr("Not MANA"));
  EXPECT_EQ(on("healthy-two-nics").code, 0);
}

TEST(Doctor, PrintsTheStoryOfALogWithV) {
  const auto outcome =
      manactl({"doctor", "--root", fixture("not-azure"), log_of("healthy-dmesg.log"), "-v"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out, HasSubstr("Works: The kernel uses the VF"));
  EXPECT_THAT(outcome.out, HasSubstr("  kernel, lines 1 to 12, worked\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("        11  2001.551000          servicing   The adapter is being "
                        "serviced (7870:00:00.0)\n"));
}

TEST(Doctor, ReportsTheLastSuccessAndTheFirstFault) {
  const auto text_of = [](const std::string& log, const std::string& input) {
    ProcessOptions process;
    process.input = input;
    return manactl({"doctor", "--root", fixture("not-azure"), "--log", log}, process).out;
  };
  const auto file = std::string(MANACTL_SOURCE_DIR "/tests/logs/story/fault-device-reset.log");
  EXPECT_THAT(text_of(file, ""),
              HasSubstr("Last success: A port carries packets (line 62)\nRoot cause: "));
  EXPECT_THAT(
      text_of("-",
              "[   12.5] mana 7870:00:00.0 eth2: Configured vPort 1 PD 5 DB 1\n"
              "[   13.5] mana 7870:00:00.0: MANA reset cycle start\n"),
      AllOf(HasSubstr(" (line 1, 12.5 s after boot)\n"),
            HasSubstr("First fault: mana 7870:00:00.0: MANA reset cycle start (line 2, 13.5 s "
                      "after boot)\n")));
}

TEST(Doctor, QuotesAnUnknownFailureWithItsContext) {
  ProcessOptions process;
  process.input = "EAL: Detected CPU lcores: 2\nsecond\nEAL: frobnicator failed\nfourth\n";
  const auto outcome =
      manactl({"doctor", "--log", "-", "--root", fixture("not-azure"), "-v"}, process);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_THAT(outcome.out, HasSubstr("Failed, and the cause is unknown\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("         2  second\n"
                        "  >      3  EAL: frobnicator failed\n"
                        "         4  fourth\n"));
  EXPECT_THAT(outcome.out, HasSubstr("--bundle"));
}

TEST(Doctor, PrintsInJsonHowToReportAnUnknownFailure) {
  const auto verdict_of = [](const std::string& log) {
    ProcessOptions process;
    process.input = log;
    const auto outcome =
        manactl({"doctor", "--log", "-", "--json", "--root", fixture("not-azure")}, process);
    return nlohmann::json::parse(outcome.out)["verdict"];
  };
  EXPECT_EQ(verdict_of("EAL: frobnicator failed\n")["report_with"],
            fmt::format("manactl doctor --root {} --bundle vm.tar.gz --scrub --log '-'",
                        fixture("not-azure")));
  EXPECT_TRUE(
      verdict_of("mana_dev_start(): failed to start tx queues -19\n")["report_with"].is_null());
}

TEST(Doctor, DecidesBetweenAlternativesOnTheVm) {
  const auto states_on = [](const char* machine) {
    ProcessOptions process;
    process.input = "testpmd: No probed ethernet devices\n";
    const auto outcome =
        manactl({"doctor", "--log", "-", "--json", "--root", fixture(machine)}, process);
    const auto document = nlohmann::json::parse(outcome.out);
    auto items = document["others"];
    items.push_back(document["root"]);
    for (const auto& item : document["consequences"]) items.push_back(item);
    std::vector<std::string> states;
    for (const auto& item : items) {
      if (item["id"] != "testpmd-no-ports") continue;
      for (const auto& one : item["alternatives"]) states.push_back(one["state"]);
    }
    return states;
  };
  const auto* const no = "undecided";
  EXPECT_THAT(states_on("not-azure"), testing::ElementsAre(no, no, no, no, no, no));
  EXPECT_THAT(states_on("healthy-two-nics"),
              testing::ElementsAre("contradicted", "contradicted", no, no, no, no));
  EXPECT_THAT(states_on("mana-ib-missing"),
              testing::ElementsAre("confirmed", "contradicted", no, no, no, no));
}

TEST(Doctor, FindsNoCauseOnAHealthyMachine) {
  const auto outcome = manactl({"doctor", "--root", fixture("healthy-two-nics")});
  EXPECT_THAT(outcome.out, HasSubstr("No cause found")) << outcome.out;
  EXPECT_EQ(outcome.code, 0) << outcome.out;
}

TEST(Doctor, FindsTheCauseInTheChecksWhenTheLogIsHealthy) {
  const auto outcome = manactl(
      {"doctor", "--root", fixture("mana-ib-missing"), log_of("healthy-testpmd.log"), "--json"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  const auto document = nlohmann::json::parse(outcome.out);
  EXPECT_EQ(document["root"]["id"], "kernel.mana-ib");
  EXPECT_TRUE(document["root"]["quote"].is_null());
  EXPECT_EQ(document["notes"].size(), 0U);
}

// The user has named the machine together with the log, so its failed checks count.
TEST(Doctor, FindsTheCauseInALogOnAMachineWithoutMana) {
  for (const std::string machine : {"vf-missing", "mlx5-vm", "not-azure"}) {
    const auto outcome =
        manactl({"doctor", "--root", fixture(machine), log_of("how-to-link-up.log"), "--json"});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["root"]["id"], "mana-start-tx-enodev") << machine;
    EXPECT_EQ(document["root"]["confirmation"]["state"], "undecided");
    ASSERT_EQ(document["others"].size(), machine == "vf-missing" ? 1U : 0U) << outcome.out;
    for (const auto& other : document["others"]) EXPECT_EQ(other["id"], "hardware.mana");
    EXPECT_GT(document["checks"], 0);
    EXPECT_THAT(document["notes"][0].get<std::string>(), HasSubstr("may be from another machine"));
  }
}

TEST(Doctor, RejectsAFileThatIsNotALogInOneLine) {
  const TemporaryDirectory directory;
  const auto zip = std::string("PK\003\004") + std::string(100, '\0');
  const std::pair<std::string, std::string> files[] = {
      {directory.file("empty.log", ""), "empty.log' is empty"},
      {directory.file("a.zip", zip), "it is a zip archive; unpack it"},
      {directory.file("program", "\177ELF\n"), "it is binary data, not a log"},
      {directory.file("b", std::string(257, '\0') + "ustar"),
       "--root " + directory.path("b") + "'"},
      {directory.file("noise", std::string(100, '\001')), "it is binary data, not a log"},
  };
  for (const auto& [file, message] : files) {
    const auto outcome = manactl({"doctor", file});
    EXPECT_EQ(outcome.code, 2) << outcome.out;
    EXPECT_EQ(outcome.error_lines(), 1U);
    EXPECT_THAT(outcome.err, HasSubstr(message));
  }
  const auto padded = directory.file("padded.log", std::string(100, '\0') + "\nEAL: x\n");
  EXPECT_EQ(manactl({"doctor", padded, "--root", fixture("healthy-two-nics")}).code, 0);
}

// check forecasts whether the VM is ready for MANA; doctor does not.
TEST(Doctor, ExitsLikeCheckOnAMachineThatNeverGetsMana) {
  using Machine = std::tuple<const char*, int, int>;
  for (const auto& [machine, doctor, check] : {Machine{"vf-missing", 1, 1},
                                               {"mlx5-vm", 3, 0},
                                               {"mlx5-dpdk-not-ready", 3, 1},
                                               {"not-azure", 3, 3}}) {
    EXPECT_EQ(manactl({"doctor", "--root", fixture(machine)}).code, doctor) << machine;
    EXPECT_EQ(manactl({"check", "--root", fixture(machine)}).code, check) << machine;
  }
}

TEST(Doctor, ConfirmsABusyPortByTheLinksThatAreUp) {
  const auto outcome = manactl(
      {"doctor", "--root", fixture("healthy-two-nics"), log_of("how-to-link-up.log"), "--json"});
  const auto root = nlohmann::json::parse(outcome.out)["root"];
  EXPECT_EQ(root["confirmation"]["state"], "confirmed");
  const std::vector<std::string> commands = root["remedy"]["commands"];
  EXPECT_THAT(commands, testing::ElementsAre("manactl prepare eth1"));
}

TEST(Help, ExplainsACheck) {
  const auto outcome = manactl({"help", "interfaces.pairing"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_THAT(outcome.out,
              testing::StartsWith("interfaces.pairing: every NIC is paired with its VF\n\n"));
  EXPECT_THAT(outcome.out, HasSubstr("\nWhat to do: "));
  EXPECT_EQ(outcome.out.find('`'), std::string::npos);
}

}  // namespace
}  // namespace manactl::test::cmd_doctor_test
