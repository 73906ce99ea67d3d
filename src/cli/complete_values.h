// SPDX-License-Identifier: MIT
//
// The values that completion suggests for options and positional arguments.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"

namespace CLI {
class Option;
}

namespace manactl::cli {

struct Candidate {
  std::string word;  // or ":files", ":directories" or ":commands", which the shells replace
  std::string description;
};

using Candidates = std::vector<Candidate>;

// Returns the checks and their groups.
Candidates check_values();

// Returns the values to suggest for an option of `command`.
Candidates values_of(const CLI::Option& option, std::string_view command, Context& context);

}  // namespace manactl::cli
