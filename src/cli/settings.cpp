// SPDX-License-Identifier: MIT

#include "cli/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"

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

// Several commands have --for, with other values; that of args has no prefix.
bool has_own_prefix(std::string_view command, std::string_view option) {
  return option == "--for" && (command == "check" || command == "wait");
}

constexpr std::string_view kPrefix = "MANACTL_";

// Returns the variables of all commands, without the prefix.
std::vector<std::string> known_variables() {
  std::vector<std::string> names = {"CONFIG", "SIM_SETUP"};  // sim sets the latter
  for (const auto& command : commands()) {
    for (const auto& option : option_names_of(&command)) {
      if (may_be_set(option))
        names.push_back(variable_of(command.name, option).substr(kPrefix.size()));
    }
  }
  return names;
}

// Returns the options that may be set, without dashes.
std::vector<std::string> keys_of(const std::vector<std::string>& options) {
  std::vector<std::string> keys;
  for (const auto& option : options) {
    if (may_be_set(option)) keys.push_back(option.substr(2));
  }
  return keys;
}

}  // namespace

std::vector<std::string> setting_keys(const CLI::App& app) {
  return keys_of(option_names(app));
}

std::vector<std::string> global_setting_keys() {
  return keys_of(option_names_of(nullptr));
}

std::string variable_of(std::string_view command, std::string_view option) {
  std::string name(kPrefix);
  if (has_sim_prefix(command, option)) name += "SIM_";
  std::string words(option.substr(2));
  if (has_own_prefix(command, option)) words.insert(0, fmt::format("{}-", command));
  for (const char c : words) {
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

std::vector<std::string> misspelled_variables(const Environment& environment) {
  std::vector<std::string> texts;
  const auto names = environment.names_with(kPrefix);
  if (names.empty()) return texts;
  const auto known = known_variables();
  for (const auto& name : names) {
    // Compare without the prefix, which would make any two names similar.
    const auto word = name.substr(kPrefix.size());
    if (std::ranges::find(known, word) != known.end()) continue;
    const auto similar = nearest(word, known);
    if (similar.empty()) continue;
    texts.push_back(fmt::format(
        "unknown variable '{}'; did you mean '{}{}'?", printable(name), kPrefix, similar));
  }
  return texts;
}

}  // namespace manactl::cli
