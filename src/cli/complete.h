// SPDX-License-Identifier: MIT
//
// Shell completion, and a JSON list of all commands and options for tests.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace manactl::cli {

// `words` are the words after "manactl"; a leading "--" is skipped. The last word is the one to
// complete and may be empty. Prints one candidate per line, "word<TAB>description". The candidates
// ":files" and ":directories" make the shell complete paths.
Exit complete(std::vector<std::string> words, Context& context);

// Prints all commands and options as JSON.
Exit describe_commands(Context& context);

}  // namespace manactl::cli
