// SPDX-License-Identifier: MIT
//
// Words of the command line into options. What is wrong is said in one line with the nearest word
// that would have been right.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/settings.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// Options that every command has.
struct GlobalOptions {
  bool json = false;
  bool help = false;
  bool version = false;
  int verbosity = 0;
  std::string colour = "auto";
  std::string root;
  std::string config;
};

void add_global_options(CLI::App& app, GlobalOptions& options);

// The words with the command taken out. A second word that makes a command of two words wins over
// an interface of that name, which --iface reaches.
struct Split {
  std::string command;  // empty when there is none
  std::vector<std::string> rest;
  std::string config;  // value of --config, which has to be known before the others
};

Split split_command(const std::vector<std::string>& words);

// Reads `words` and, for options that they do not name, `settings` into what the options of `app`
// are bound to. Errc::invalid says what is wrong.
Result<> parse_arguments(CLI::App& app,
                         const std::vector<std::string>& words,
                         const std::vector<Setting>& settings);

// "; did you mean 'check'?" or nothing.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// Every "--name" of `app`.
std::vector<std::string> option_names(const CLI::App& app);

}  // namespace manactl::cli
