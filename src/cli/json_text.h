// SPDX-License-Identifier: MIT
//
// Text that came from the system, for JSON documents: valid UTF-8, and harmless on a terminal.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace manactl::cli {

inline std::string safe(std::string_view text) {
  constexpr std::size_t kLongest = 4000;
  return printable(text, kLongest);
}

inline std::vector<std::string> strings(const std::vector<std::string>& lines) {
  std::vector<std::string> safe_lines;
  safe_lines.reserve(lines.size());
  for (const auto& line : lines) safe_lines.push_back(safe(line));
  return safe_lines;
}

}  // namespace manactl::cli
