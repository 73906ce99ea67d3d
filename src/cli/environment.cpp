// SPDX-License-Identifier: MIT

#include "cli/environment.h"

#include <algorithm>
#include <array>

#include "base/text.h"

namespace manactl::cli {
namespace {

bool is_used(std::string_view name) {
  constexpr std::array<std::string_view, 7> kNames = {
      "NO_COLOR", "TERM", "LC_ALL", "LC_CTYPE", "LANG", "HOME", "XDG_STATE_HOME"};
  return name.starts_with("MANACTL_") ||
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

}  // namespace

Environment::Environment(const char* const* variables) {
  for (; variables != nullptr && *variables != nullptr; ++variables) {
    const std::string_view variable = *variables;
    const auto equals = variable.find('=');
    if (equals == std::string_view::npos || !is_used(variable.substr(0, equals))) continue;
    set(std::string(variable.substr(0, equals)), std::string(variable.substr(equals + 1)));
  }
}

const std::string* Environment::find(std::string_view name) const {
  const auto found = values_.find(name);
  return found == values_.end() ? nullptr : &found->second;
}

std::vector<std::string> Environment::names_with(std::string_view prefix) const {
  std::vector<std::string> names;
  for (const auto& [name, value] : values_) {
    if (name.starts_with(prefix)) names.push_back(name);
  }
  return names;
}

bool Environment::is_utf8() const {
  for (const std::string_view name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const auto* value = find(name);
    if (value == nullptr || value->empty()) continue;
    const auto locale = lower(*value);
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return false;
}

std::string Environment::state_home() const {
  const auto* state = find("XDG_STATE_HOME");
  if (state != nullptr && state->starts_with('/'))
    return *state;  // the specification requires an absolute path
  const auto* home = find("HOME");
  return home != nullptr && home->starts_with('/') ? *home + "/.local/state" : std::string();
}

}  // namespace manactl::cli
