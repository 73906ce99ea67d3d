// SPDX-License-Identifier: MIT
//
// What is set without words: MANACTL_* variables, and below them the configuration file.

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

inline constexpr std::string_view kConfigFile = "/etc/manactl/config.toml";

// The text of a configuration file. Errc::not_found when there is none; Errc::invalid for one that
// others could have written, or that is no text.
Result<std::string> read_config_file(const std::string& path);

// Keys above all sections are global options, those below "[bench]" are options of bench.
// Errc::invalid names the first key or section that is not known, and the nearest that is.
Result<std::vector<Setting>> parse_config(const std::string& text,
                                          const std::string& path,
                                          const std::string& command,
                                          const CLI::App& app);

// The variable that sets an option of a command: MANACTL_QUEUES is --queues, but of sim
// MANACTL_SIM_QUEUES, because the program that sim starts has the same environment.
std::string variable_of(std::string_view command, std::string_view option);

// The options of `app`, which is that of `command`, that variables set.
std::vector<Setting> settings_of(const Environment& environment,
                                 std::string_view command,
                                 const CLI::App& app);

}  // namespace manactl::cli
