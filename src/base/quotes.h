// SPDX-License-Identifier: MIT

#pragma once

#include <string_view>

namespace manactl {

// Removes the quotes around a value of os-release(5) or a word of a shell.
constexpr std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() >= 2 && text.front() == text.back() &&
                         (text.front() == '"' || text.front() == '\'');
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

}  // namespace manactl
