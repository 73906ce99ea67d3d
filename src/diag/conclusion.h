// SPDX-License-Identifier: MIT
//
// The conclusion of a rule from several lines of a log, when the log ends.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diag/device.h"
#include "diag/quote.h"
#include "diag/signature.h"

namespace manactl::diag {

struct Conclusion {
  const Signature* rule = nullptr;
  Captures captures;            // replace "{name}" in the texts of the rule
  Quote line;                   // the first line that shows it
  std::uint64_t last_line = 0;  // the newest line that shows it
  std::uint64_t count = 1;      // lines that show it
  Device device = {};
};

// Returns "eth0, eth1 and eth2".
std::string list_text(std::vector<std::string> names);

}  // namespace manactl::diag
