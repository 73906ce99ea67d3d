// SPDX-License-Identifier: MIT
//
// Parses the command line into options. Error messages name the wrong word and a similar valid one.

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/command_line.h"
#include "cli/output.h"
#include "cli/settings.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct Command;

enum class ColorMode { automatic, always, never };

// Options that every command has.
struct GlobalOptions {
  bool json = false;
  bool quiet = false;
  std::optional<Output> output;  // only for commands without formats of their own
  bool help = false;
  bool version = false;
  int verbosity = 0;
  ColorMode color = ColorMode::automatic;
  std::string root;
  std::string config;
};

// Adds -o with the formats text and json unless the command has added it.
void add_global_options(CLI::App& app, GlobalOptions& options);

// Checks the options before an unknown command. "--out json check" has an unknown option, although
// "json" is the first word that could be a command.
Result<> check_leading_options(const CommandLine& line);

// Sets the variables bound to the options of `app`. `settings` apply to options that `arguments` do
// not contain. Fails with Errc::invalid. `subcommands` are the words that name another command if
// they directly follow this one, such as "list" for bench; anywhere else they are errors.
Result<> parse_arguments(CLI::App& app,
                         const std::vector<std::string>& arguments,
                         const std::vector<Setting>& settings,
                         const std::vector<std::string>& subcommands);

// Returns "; did you mean 'check'?", or an empty string if no candidate is similar.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// Returns the long option names of `app`: "--queues".
std::vector<std::string> option_names(const CLI::App& app);

// Returns the names of the options of a command, or of the global options if it is null.
std::vector<std::string> option_names_of(const Command* command);

}  // namespace manactl::cli
