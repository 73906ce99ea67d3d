// SPDX-License-Identifier: MIT
//
// A copy of the environment variables that manactl uses, made once by main().

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace manactl::cli {

class Environment {
 public:
  Environment() = default;

  // Copies MANACTL_*, NO_COLOR, TERM, the locale variables, HOME and XDG_STATE_HOME.
  explicit Environment(const char* const* variables);

  void set(std::string name, std::string value) {
    values_.insert_or_assign(std::move(name), std::move(value));
  }

  // Null if the variable is not set.
  const std::string* find(std::string_view name) const;

  // The names of the variables that begin with `prefix`, in ascending order.
  std::vector<std::string> names_with(std::string_view prefix) const;

  // The user's state directory (XDG Base Directory Specification); empty if it is unknown.
  std::string state_home() const;

  bool is_utf8() const;  // by the first of LC_ALL, LC_CTYPE and LANG that is not empty

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace manactl::cli
