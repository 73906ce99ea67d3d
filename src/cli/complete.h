// SPDX-License-Identifier: MIT
//
// What the shells' completions and the tests ask: which words may come next, and what there is.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"

namespace manactl::cli {

// `words` are those after "manactl", the last one is being typed and may be empty; a leading "--"
// is skipped. Prints one candidate per line, "word<TAB>description"; ":files" or ":directories"
// leave the rest to the shell.
Exit complete(std::vector<std::string> words, Context& context);

// The tree of commands and options as JSON.
Exit describe_commands(Context& context);

}  // namespace manactl::cli
