// SPDX-License-Identifier: MIT
//
// Tests the examples that --help prints.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/run_manactl.h"

namespace manactl::cli::examples_test {
namespace {

// Returns the words after "manactl": of the example "dpdk-testpmd $(manactl args eth1) -- -i",
// {"args", "eth1"}.
std::vector<std::string> words_of(std::string_view example) {
  constexpr std::string_view kProgram = "manactl ";
  example.remove_prefix(example.find(kProgram) + kProgram.size());
  std::vector<std::string> found;
  for (const auto word : words(example.substr(0, example.find(')')))) found.emplace_back(word);
  return found;
}

TEST(Examples, AreCommandLinesThatTheCommandAccepts) {
  for (const auto& command : commands()) {
    for (const auto example : command.examples) {
      SCOPED_TRACE(example);
      const auto line = split_command_line(words_of(example));
      EXPECT_EQ(line.command, command.name);
      CLI::App app;
      app.set_help_flag();
      GlobalOptions global;
      const auto action = command.add_options(app);
      add_global_options(app, global);
      const auto parsed = parse_arguments(app, line.arguments, {}, {});
      EXPECT_TRUE(parsed) << parsed.error().message;
    }
    EXPECT_NE(command.examples[0], command.examples[1]);
  }
}

TEST(Examples, ArePrintedByTheHelpOfEachCommand) {
  for (const auto& command : commands()) {
    SCOPED_TRACE(command.name);
    std::vector<std::string> arguments;
    for (const auto word : words(command.name)) arguments.emplace_back(word);
    arguments.emplace_back("--help");
    const auto outcome = test::manactl(arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    for (const auto example : command.examples) {
      EXPECT_THAT(outcome.out, testing::HasSubstr(fmt::format("\n  {}\n", example)));
    }
  }
}

}  // namespace
}  // namespace manactl::cli::examples_test
