// SPDX-License-Identifier: MIT

#include "cli/settings.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/command.h"

namespace manactl::cli {
namespace {

// Options that make no sense when they are not typed.
bool may_be_set(std::string_view option) {
  constexpr std::array<std::string_view, 3> kTyped = {"--help", "--version", "--config"};
  return std::find(kTyped.begin(), kTyped.end(), option) == kTyped.end();
}

std::vector<std::string> keys_of(const CLI::App& app) {
  std::vector<std::string> keys;
  for (const auto& name : option_names(app)) {
    if (may_be_set(name)) keys.push_back(name.substr(2));
  }
  return keys;
}

std::vector<std::string> global_names() {
  CLI::App global;
  global.set_help_flag();
  GlobalOptions unused;
  add_global_options(global, unused);
  return keys_of(global);
}

bool has_own_variable(std::string_view command, std::string_view option) {
  if (command != "sim") return false;
  const auto global = global_names();
  return std::find(global.begin(), global.end(), option.substr(2)) == global.end();
}

Result<> check_section(const CLI::ConfigItem& item, const std::string& path) {
  std::vector<std::string> names;
  for (const auto& command : commands()) names.emplace_back(command.name);
  const std::string section = item.parents.front();
  const bool known = std::find(names.begin(), names.end(), section) != names.end();
  if (known && item.parents.size() == 1) return {};
  return fail(Errc::invalid,
              fmt::format("{}: unknown section '{}'{}",
                          path,
                          printable(join(item.parents, "."), 60),
                          suggestion(section, names)));
}

// CLI11 brackets sections with items of these names.
bool is_bracket(const CLI::ConfigItem& item) {
  return item.name == "++" || item.name == "--";
}

}  // namespace

Result<std::vector<Setting>> parse_config(const std::string& text,
                                          const std::string& path,
                                          const std::string& command,
                                          const CLI::App& app) {
  std::istringstream stream(text);
  std::vector<CLI::ConfigItem> items;
  try {
    items = CLI::ConfigTOML().from_config(stream);
  } catch (const CLI::Error& wrong) {
    return fail(Errc::invalid, fmt::format("{}: {}", path, wrong.what()));
  }
  const auto global_keys = global_names();
  const auto command_keys = keys_of(app);
  std::vector<Setting> settings;
  for (const auto& item : items) {
    const bool in_section = !item.parents.empty();
    if (in_section) {
      auto known = check_section(item, path);
      if (!known) return tl::unexpected<Error>(known.error());
    }
    if (is_bracket(item) || (in_section && item.parents.front() != command)) continue;
    const auto& keys = in_section ? command_keys : global_keys;
    if (std::find(keys.begin(), keys.end(), item.name) == keys.end()) {
      return fail(Errc::invalid,
                  fmt::format("{}: unknown key '{}'{}",
                              path,
                              printable(item.name, 60),
                              suggestion(item.name, keys)));
    }
    // CLI11 makes one item of a key that comes again.
    const auto* option = app.get_option_no_throw("--" + item.name);
    if (option != nullptr && item.inputs.size() > 1 && option->get_items_expected_max() <= 1) {
      return fail(Errc::invalid, fmt::format("{}: key '{}' is given twice", path, item.name));
    }
    settings.push_back({"--" + item.name, item.inputs, path});
  }
  return settings;
}

std::string variable_of(std::string_view command, std::string_view option) {
  std::string name = has_own_variable(command, option) ? "MANACTL_SIM_" : "MANACTL_";
  for (const char c : option.substr(2)) {
    name += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::vector<Setting> settings_of(const Environment& environment,
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
