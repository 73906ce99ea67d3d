// SPDX-License-Identifier: MIT
//
// The words of the command line, before options are parsed.

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace manactl::cli {

// True for "-v" and "--json", not for a negative number.
bool is_option(std::string_view word);

struct CommandLine {
  std::string command;                 // one word or two; empty: no command given
  std::vector<std::string> arguments;  // all other words
  std::string config;                  // value of --config, which is read before other options
  std::size_t leading = 0;             // the number of arguments before the command
};

// If the first two words name a command ("bench compare"), the second is part of the command, even
// if an interface has that name. Use bench --iface to select that interface. "help COMMAND" becomes
// "COMMAND --help", "version" becomes "--version", and "bench ls" becomes "bench list".
CommandLine split_command_line(const std::vector<std::string>& words);

// Whether an error in the command line is reported as JSON. The command line is not parsed yet.
bool asks_for_json(const CommandLine& line);

// True if `arguments` contain the option. One in the environment or the configuration file does not
// count, and neither do those of another program, which follow "--".
bool is_typed(const std::vector<std::string>& arguments, const std::string& option);

// Returns the value that was typed for the option in `arguments`, or an empty string.
std::string typed_value(const std::vector<std::string>& arguments, const std::string& option);

}  // namespace manactl::cli
