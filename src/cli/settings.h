// SPDX-License-Identifier: MIT
//
// Option values from outside the command line: from MANACTL_* variables (settings.cpp) and the
// configuration file (config_file.cpp).

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/environment.h"

namespace CLI {
class App;
}

namespace manactl::cli {

struct Setting {
  std::string option;  // "--queues"
  std::vector<std::string> values;
  std::string origin;  // "MANACTL_QUEUES" or "/etc/manactl/config.toml"
};

// Returns the options of `app` that settings may set, without dashes: "queues".
std::vector<std::string> setting_keys(const CLI::App& app);
std::vector<std::string> global_setting_keys();

// Returns the variable that sets an option of a command: MANACTL_QUEUES for --queues. Those of sim
// start with MANACTL_SIM_, because the program that sim starts inherits them and may be manactl.
// --for of check and wait are MANACTL_CHECK_FOR and MANACTL_WAIT_FOR, because their values differ
// from those of args.
std::string variable_of(std::string_view command, std::string_view option);

// Returns the settings for `command` from variables. `app` has the options of `command`.
std::vector<Setting> settings_from(const Environment& environment,
                                   std::string_view command,
                                   const CLI::App& app);

// Returns a text for each variable that looks like a misspelled one of any command: "unknown
// variable 'MANACTL_QUEUE'; did you mean 'MANACTL_QUEUES'?". Other programs may use other names.
std::vector<std::string> misspelled_variables(const Environment& environment);

inline constexpr std::string_view kConfigFile = "/etc/manactl/config.toml";

// Returns the text of the configuration file. Fails with Errc::not_found if it does not exist, and
// with Errc::invalid if it is not text or another user could have written it.
Result<std::string> read_config_file(const std::string& path);

// Keys before the first section are global options; keys in "[bench]" are options of bench. Returns
// the settings for `command`, whose options are in `app`. The message of Errc::invalid names the
// first unknown key or section and the nearest known one.
Result<std::vector<Setting>> parse_config(const std::string& text,
                                          const std::string& path,
                                          const std::string& command,
                                          const CLI::App& app);

}  // namespace manactl::cli
