// SPDX-License-Identifier: MIT
//
// Sanitizes text for JSON documents. The result is valid UTF-8 without control characters.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace manactl {

inline std::string safe(std::string_view text) {
  constexpr std::size_t kMaxText = 4000;
  return printable(text, kMaxText);
}

inline std::vector<std::string> strings(const std::vector<std::string>& lines) {
  std::vector<std::string> safe_lines;
  safe_lines.reserve(lines.size());
  for (const auto& line : lines) safe_lines.push_back(safe(line));
  return safe_lines;
}

}  // namespace manactl
