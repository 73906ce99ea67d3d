// SPDX-License-Identifier: MIT

#include "diag/conclusion.h"

#include "base/text.h"

namespace manactl::diag {

std::string list_text(std::vector<std::string> names) {
  if (names.size() < 2) return join(names, "");
  const auto last = names.back();
  names.pop_back();
  return join(names, ", ") + " and " + last;
}

}  // namespace manactl::diag
