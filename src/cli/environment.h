// SPDX-License-Identifier: MIT
//
// The environment as it was when the program started, read once by main.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace manactl::cli {

class Environment {
 public:
  Environment() = default;

  // Keeps the variables that manactl knows: MANACTL_*, NO_COLOR, TERM, the locale,
  // HOME and XDG_STATE_HOME.
  explicit Environment(const char* const* variables);

  void set(std::string name, std::string value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  // Null when it is not set.
  const std::string* find(std::string_view name) const;

  // Where programs of this user keep state (XDG base directories); empty when that is not said.
  std::string state_home() const;

  bool is_utf8() const;  // by LC_ALL, LC_CTYPE or LANG, whichever is set first

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace manactl::cli
