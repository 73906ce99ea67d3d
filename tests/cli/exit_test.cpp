// SPDX-License-Identifier: MIT

#include "cli/exit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "cli/run_manactl.h"
#include "setup/prepare.h"

namespace manactl::test::exit_test {
namespace {

using testing::HasSubstr;

TEST(Exit, DependsOnTheReasonOfAnError) {
  using cli::Exit;
  EXPECT_EQ(cli::exit_of({Errc::invalid, 0, ""}), Exit::usage);
  EXPECT_EQ(cli::exit_of({Errc::not_found, 0, ""}), Exit::unsupported);
  EXPECT_EQ(cli::exit_of({Errc::unsupported, 0, ""}), Exit::unsupported);
  EXPECT_EQ(cli::exit_of({Errc::denied, 0, ""}), Exit::denied);
  EXPECT_EQ(cli::exit_of({Errc::busy, 0, ""}), Exit::busy);
  EXPECT_EQ(cli::exit_of({Errc::io, 0, ""}), Exit::internal);
  EXPECT_EQ(cli::exit_of({Errc::timeout, 0, ""}), Exit::internal);
}

TEST(Exit, OfARolledBackRunIsThatOfItsSignal) {
  using setup::PrepareOutcome;
  const auto exit = [](PrepareOutcome outcome, int signal) {
    setup::PrepareResult result;
    result.outcome = outcome;
    result.signal = signal;
    return static_cast<int>(cli::exit_of(result));
  };
  EXPECT_EQ(exit(PrepareOutcome::rolled_back, 0), 6);
  EXPECT_EQ(exit(PrepareOutcome::rolled_back, SIGHUP), 129);
  EXPECT_EQ(exit(PrepareOutcome::rolled_back, SIGINT), 130);
  EXPECT_EQ(exit(PrepareOutcome::rolled_back, SIGTERM), 143);
  EXPECT_EQ(exit(PrepareOutcome::roll_back_failed, SIGTERM), 7);
  EXPECT_EQ(exit(PrepareOutcome::done, 0), 0);
  EXPECT_EQ(exit(PrepareOutcome::already_prepared, 0), 0);
}

TEST(Stdout, FailsWhenTheDeviceIsFull) {
  ProcessOptions process;
  process.stdout_path = "/dev/full";
  const auto outcome = manactl({"--version"}, process);
  EXPECT_EQ(outcome.code, 70);
  EXPECT_THAT(outcome.err, HasSubstr("cannot write the result: No space left on device"));
  EXPECT_EQ(outcome.error_lines(), 1U);
}

TEST(Stdout, FailsWhenItIsClosed) {
  ProcessOptions process;
  process.stdout_closed = true;
  const auto outcome = manactl({"--version"}, process);
  EXPECT_EQ(outcome.code, 70);
  EXPECT_THAT(outcome.err, HasSubstr("stdout is closed"));
}

TEST(Stdout, PrintsNoErrorWhenTheReaderClosedThePipe) {
  ProcessOptions process;
  process.stdout_broken = true;
  const auto outcome = manactl({"--version"}, process);
  EXPECT_EQ(outcome.code, 70);
  EXPECT_EQ(outcome.err, "");
}

TEST(Stdout, MayBeClosedWhenNothingIsPrinted) {
  ProcessOptions process;
  process.stdout_closed = true;
  EXPECT_EQ(manactl({"chek"}, process).code, 2);
}

TEST(Color, IsOffOnAPipeAndOnWhenRequested) {
  EXPECT_THAT(manactl({"check"}).out, testing::Not(HasSubstr("\x1b[")));
  EXPECT_THAT(manactl({"check", "--color", "always"}).out, HasSubstr("\x1b["));
  ProcessOptions process;
  process.environment = {"MANACTL_COLOR=always"};
  EXPECT_THAT(manactl({"--help"}, process).out, HasSubstr("\x1b["));
  EXPECT_THAT(manactl({"--help", "--color=never"}, process).out, testing::Not(HasSubstr("\x1b[")));
}

TEST(Output, IsJsonWithEachOfItsOptions) {
  const auto expected = manactl({"check", "--json"});
  const std::vector<std::vector<std::string>> spellings = {{"check", "-j"},
                                                           {"check", "-o", "json"},
                                                           {"-o", "json", "check"},
                                                           {"check", "--output=json"},
                                                           {"check", "-j", "-o", "json"}};
  for (const auto& words : spellings) {
    EXPECT_EQ(manactl(words).out, expected.out);
  }
  EXPECT_EQ(manactl({"check", "-o", "text"}).out, manactl({"check"}).out);
}

TEST(Quiet, PrintsNoWarnings) {
  const std::vector<std::string> words = {
      "args", "eth1", "--root", MANACTL_SOURCE_DIR "/tests/fixtures/healthy-two-nics"};
  auto quiet = words;
  quiet.emplace_back("-q");
  EXPECT_THAT(manactl(words).err, HasSubstr("Warning: "));
  EXPECT_EQ(manactl(quiet).err, "");
  EXPECT_EQ(manactl(quiet).out, manactl(words).out);
}

TEST(Quiet, PrintsNoReportButErrorsAndData) {
  const std::string root = MANACTL_SOURCE_DIR "/tests/fixtures/";
  const auto failed = manactl({"check", "-q", "--root", root + "kernel-old"});
  EXPECT_EQ(failed.code, 1);
  EXPECT_EQ(failed.out, "");
  EXPECT_EQ(failed.err, "");
  EXPECT_EQ(manactl({"check", "-q", "-j", "--root", root + "kernel-old"}).out,
            manactl({"check", "-j", "--root", root + "kernel-old"}).out);
  EXPECT_EQ(manactl({"args", "-q", "--root", root + "prepared-uio"}).out,
            manactl({"args", "--root", root + "prepared-uio"}).out);
  EXPECT_EQ(manactl({"check", "-q", "nosuch0"}).error_lines(), 1U);
}

TEST(Lines, AreNotWrappedInAPipe) {
  const auto outcome =
      manactl({"check", "--root", MANACTL_SOURCE_DIR "/tests/fixtures/kernel-old"});
  EXPECT_THAT(outcome.out, testing::ContainsRegex("[^\n]{121}"));
}

TEST(Overview, IsShortAndNamesTheFirstSteps) {
  const auto outcome = manactl({});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.err, "");
  EXPECT_THAT(outcome.out, HasSubstr("manactl check "));
  EXPECT_LT(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 15);
}

TEST(Help, IsTextOnly) {
  for (const std::vector<std::string>& words : {std::vector<std::string>{"help", "rdma.core"},
                                                {"check", "--help"},
                                                {"help"},
                                                {"check", "-h"}}) {
    auto with_json = words;
    with_json.emplace_back("--json");
    EXPECT_EQ(manactl(words).code, 0);
    const auto outcome = manactl(with_json);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.err, "manactl: help is text only: omit --json\n");
  }
}

TEST(Aliases, RunTheCommandTheyStandFor) {
  EXPECT_EQ(manactl({"help"}).out, manactl({"--help"}).out);
  EXPECT_EQ(manactl({"help", "bench", "compare"}).out, manactl({"bench", "compare", "-h"}).out);
  EXPECT_EQ(manactl({"version"}).out, manactl({"--version"}).out);
  EXPECT_EQ(manactl({"--json", "version"}).out, manactl({"--version", "--json"}).out);
  EXPECT_EQ(manactl({"help", "bench", "ls"}).out, manactl({"bench", "list", "-h"}).out);
  EXPECT_EQ(manactl({"help", "bench", "delete"}).out, manactl({"bench", "rm", "-h"}).out);
  EXPECT_EQ(manactl({"bench", "help"}).out, manactl({"bench", "-h"}).out);
  EXPECT_EQ(manactl({"-V"}).out, manactl({"--version"}).out);
  EXPECT_THAT(manactl({"check", "-V"}).err, HasSubstr("unknown option '-V'"));
}

TEST(Help, ListsRootOnlyForCommandsThatAcceptIt) {
  for (const auto* command : {"confirm", "sim", "completion", "decode"}) {
    EXPECT_THAT(manactl({command, "--help"}).out, Not(HasSubstr("--root"))) << command;
  }
  EXPECT_THAT(manactl({"confirm", "--root", "/tmp"}).err, HasSubstr("--root is not supported"));
  EXPECT_THAT(manactl({"bench", "list", "--help"}).out, Not(HasSubstr("--root")));
  for (const auto* command : {"prepare", "restore"}) {
    EXPECT_THAT(manactl({command, "--help"}).out, HasSubstr("--root")) << "with --dry-run";
  }
}

TEST(Help, IsShortAndDescribesTheCommand) {
  const auto all = manactl({"--help"});
  EXPECT_EQ(all.code, 0);
  EXPECT_THAT(all.out, HasSubstr("doctor"));
  EXPECT_THAT(all.out,
              HasSubstr("help COMMAND, CHECK (such as rdma.driver-id) or GROUP (hardware"));
  EXPECT_LT(std::count(all.out.begin(), all.out.end(), '\n'), 40);
  const auto check = manactl({"check", "-h"});
  EXPECT_EQ(check.code, 0);
  EXPECT_THAT(check.out, HasSubstr("--strict"));
  EXPECT_THAT(manactl({"confirm", "-h"}).out, Not(HasSubstr("\nOptions\n")));
  EXPECT_EQ(manactl({"--help", "check"}).out, check.out);
}

TEST(GlobalOptions, AreAcceptedBeforeAndAfterTheCommand) {
  const auto before = manactl({"--json", "check", "--only", "hardware"});
  const auto after = manactl({"check", "--only=hardware", "--json"});
  EXPECT_EQ(before.out, after.out);
  EXPECT_EQ(before.out.substr(0, 1), "{");
}

TEST(Errors, AreADocumentWithJson) {
  for (const std::vector<std::string>& words :
       std::vector<std::vector<std::string>>{{"check", "--jsn", "--json"},
                                             {"chek", "-o", "json"},
                                             {"decode", "nokind", "00", "-j"}}) {
    const auto outcome = manactl(words);
    EXPECT_EQ(outcome.code, 2) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["schema"], "manactl.error/1");
    EXPECT_EQ(document["exit"], 2);
    EXPECT_EQ("manactl: " + document["message"].get<std::string>() + "\n", outcome.err);
    EXPECT_TRUE(document["hint"].is_null());
  }
}

}  // namespace
}  // namespace manactl::test::exit_test
