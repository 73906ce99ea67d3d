// SPDX-License-Identifier: MIT

#include "cli/command_hints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test::command_hints_test {
namespace {

using cli::CommandHints;
using cli::Context;
using testing::HasSubstr;
using testing::Not;

// The hints of an invocation that was typed as `arguments` and inspects `root`.
CommandHints hints_of(std::vector<std::string> arguments,
                      std::string root = {},
                      bool is_dry_run = false) {
  std::ostringstream unused;
  cli::Screen screen(unused, false, 80, false);
  Context context{screen, screen, false, 0, std::move(root), {}, {}};
  context.arguments = std::move(arguments);
  context.is_dry_run = is_dry_run;
  return CommandHints(context);
}

TEST(CommandHints, RepeatRootInCommandsThatInspectAMachine) {
  const auto hints = hints_of({}, "vm.tar.gz");
  EXPECT_EQ(hints.complete("see 'manactl check --only rdma', or `manactl status`."),
            "see 'manactl check --root vm.tar.gz --only rdma', or `manactl status --root "
            "vm.tar.gz`.");
  EXPECT_EQ(hints.complete("manactl args IFACE"), "manactl args --root vm.tar.gz IFACE");
  for (const auto* text : {"run 'manactl prepare eth1'",
                           "manactl restore --all",
                           "manactl help rdma.driver-id",
                           "manactl can read logs",
                           "manactl checks a machine"}) {
    EXPECT_EQ(hints.complete(text), text);
  }
  EXPECT_EQ(hints_of({}, "my dir").complete("manactl check"), "manactl check --root 'my dir'");
}

TEST(CommandHints, KeepTheDryRun) {
  const auto hints = hints_of({}, "vm.tar.gz", true);
  EXPECT_EQ(hints.complete("'manactl prepare eth1' uses a NIC that is free"),
            "'manactl prepare --dry-run --root vm.tar.gz eth1' uses a NIC that is free");
  EXPECT_EQ(hints.complete("manactl restore eth1"), "manactl restore eth1");
  EXPECT_EQ(hints.complete("manactl bench rm last"), "manactl bench rm --dry-run last");
  EXPECT_EQ(hints_of({}, {}, true).complete("manactl prepare eth1"),
            "manactl prepare --dry-run eth1");
}

TEST(CommandHints, KnowADryRunOfTheEnvironment) {
  const auto root = fixture("healthy-two-nics");
  ProcessOptions process;
  process.environment.emplace_back("MANACTL_DRY_RUN=true");
  const auto outcome = manactl({"prepare", "eth0", "--root", root}, process);
  EXPECT_THAT(outcome.err, HasSubstr("'manactl prepare --dry-run --root " + root));
}

TEST(CommandHints, RepeatTypedResultsAndConfigurationWhereTheyAreAccepted) {
  const auto hints = hints_of({"bench", "show", "--results=/tmp/r", "--config", "c.toml"});
  EXPECT_EQ(hints.complete("see 'manactl bench list'"),
            "see 'manactl bench list --results /tmp/r --config c.toml'");
  EXPECT_EQ(hints.complete("manactl check"), "manactl check --config c.toml");
  const std::string plain = "see 'manactl bench list'";
  EXPECT_EQ(hints_of({"bench", "ab", "--", "--results", "/tmp/r"}).complete(plain), plain);
}

TEST(CommandHints, ChangeNothingTheSecondTime) {
  const auto hints = hints_of({"check", "--config", "c.toml"}, "vm.tar.gz");
  const auto once = hints.complete("'manactl doctor' shows all");
  EXPECT_EQ(hints.complete(once), once);
}

// Lists the commands in `text` that would inspect another machine than `root`.
std::vector<std::string> incomplete_hints(const std::string& text, const std::string& root) {
  static const std::regex pattern("manactl (check|doctor|status|args)\\b[^\n]{0,200}");
  std::vector<std::string> found;
  for (std::sregex_iterator next(text.begin(), text.end(), pattern), end; next != end; ++next) {
    if (!(*next)[0].str().starts_with(fmt::format("manactl {} --root {}", (*next)[1].str(), root)))
      found.push_back(next->str());
  }
  return found;
}

TEST(CommandHints, NameTheCapturedMachineInEveryOutput) {
  for (const auto& name : fixture_names()) {
    const auto root = fixture(name);
    const std::vector<std::vector<std::string>> invocations = {{"check"},
                                                               {"check", "--only", "memory"},
                                                               {"doctor"},
                                                               {"status"},
                                                               {"args"},
                                                               {"args", "eth1"},
                                                               {"prepare", "eth1", "--dry-run"}};
    for (auto words : invocations) {
      words.insert(words.end(), {"--root", root});
      const auto text = manactl(words);
      EXPECT_THAT(incomplete_hints(text.out + text.err, root), testing::IsEmpty());
      words.emplace_back("--json");
      const auto json = manactl(words);
      EXPECT_THAT(incomplete_hints(json.out + json.err, root), testing::IsEmpty());
    }
  }
}

TEST(CommandHints, NameABundleThatWasGivenAsArgument) {
  const auto root = fixture("mlx5-vm");
  const auto outcome = manactl({"doctor", root});
  EXPECT_THAT(outcome.out, HasSubstr("see 'manactl check --root " + root + "'"));
}

TEST(CommandHints, NameTheDirectoryOfResultsInErrors) {
  const TemporaryDirectory directory;
  const auto outcome = manactl({"bench", "compare", "--results", directory.path("")});
  EXPECT_THAT(outcome.err, HasSubstr("manactl bench list --results " + directory.path("")));
}

TEST(CommandHints, ReportAnUnknownFailureWithTheSameMachineAndLogs) {
  const TemporaryDirectory directory;
  const auto log = directory.file("pmd.log",
                                  "EAL: Detected CPU lcores: 4\n"
                                  "mana_dev_start(): Failed to frobnicate the queue\n"
                                  "EAL: Error - exiting with code: 1\n");
  const auto root = fixture("ubuntu-two-nics");
  const auto outcome = manactl({"doctor", log, "--root", root});
  EXPECT_THAT(
      outcome.out,
      HasSubstr(fmt::format(
          "\n    manactl doctor --root {} --bundle vm.tar.gz --scrub --log {}\n", root, log)));
}

TEST(CommandHints, StayOutOfABundle) {
  const TemporaryDirectory directory;
  const auto root = fixture("image-ubuntu-22-04");
  const auto bundle = directory.path("vm.tar.gz");
  ASSERT_EQ(manactl({"doctor", "--root", root, "--bundle", bundle}).code, 1);
  const auto captured = host::open_captured(bundle);
  ASSERT_TRUE(captured) << captured.error().message;
  const auto report = (*captured)->system().files.read("manactl/report.json");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_THAT(*report, Not(HasSubstr(root)));
}

}  // namespace
}  // namespace manactl::test::command_hints_test
