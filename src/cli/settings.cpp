// SPDX-License-Identifier: MIT

#include "cli/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "cli/arguments.h"

namespace manactl::cli {
namespace {

// Returns false for options that are accepted on the command line only.
bool may_be_set(std::string_view option) {
  constexpr std::array<std::string_view, 3> kCommandLineOnly = {"--help", "--version", "--config"};
  return std::find(kCommandLineOnly.begin(), kCommandLineOnly.end(), option) ==
         kCommandLineOnly.end();
}

bool has_sim_prefix(std::string_view command, std::string_view option) {
  if (command != "sim") return false;
  const auto global = global_setting_keys();
  return std::find(global.begin(), global.end(), option.substr(2)) == global.end();
}

}  // namespace

std::vector<std::string> setting_keys(const CLI::App& app) {
  std::vector<std::string> keys;
  for (const auto& name : option_names(app)) {
    if (may_be_set(name)) keys.push_back(name.substr(2));
  }
  return keys;
}

std::vector<std::string> global_setting_keys() {
  CLI::App global;
  global.set_help_flag();
  GlobalOptions unused;
  add_global_options(global, unused);
  return setting_keys(global);
}

std::string variable_of(std::string_view command, std::string_view option) {
  std::string name = has_sim_prefix(command, option) ? "MANACTL_SIM_" : "MANACTL_";
  for (const char c : option.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<Setting> settings_from(const Environment& environment,
                                   std::string_view command,
                                   const CLI::App& app) {
  std::vector<Setting> settings;
  for (const auto& option : option_names(app)) {
    if (!may_be_set(option)) continue;
    const std::string name = variable_of(command, option);
    const auto* value = environment.find(name);
    if (value != nullptr && !value->empty()) settings.push_back({option, {*value}, name});
  }
  return settings;
}

}  // namespace manactl::cli
