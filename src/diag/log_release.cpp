// SPDX-License-Identifier: MIT

#include "diag/log_release.h"

#include "base/ids.h"

namespace manactl::diag {

bool has_reached(std::string_view release, const std::vector<std::string>& firsts) {
  const auto is = Release::parse(release);
  if (!is || firsts.empty()) return false;
  for (const auto& text : firsts) {
    const auto first = Release::parse(text);
    if (first && first->major == is->major && first->minor == is->minor) return *is >= *first;
  }
  const auto main_line = Release::parse(firsts.back());
  return main_line && *is >= *main_line;
}

std::string_view releases_of_prefix(std::string_view message) {
  for (const std::string_view prefix : {"MANA_DRIVER: ", "HN_DRIVER: ", "VMBUS_BUS: "}) {
    if (message.starts_with(prefix)) return "24.11 or newer";
  }
  for (const std::string_view prefix : {"mana_", "hn_", "vmbus_"}) {
    const auto end = message.find("(): ");
    if (message.starts_with(prefix) && end != std::string_view::npos && message.find(' ') > end) {
      return "22.11 to 24.07";
    }
  }
  return {};
}

}  // namespace manactl::diag
