// SPDX-License-Identifier: MIT
//
// Results of bench by name: the ids of those that are kept, files, and standard input.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/result.h"
#include "cli/context.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// Adds --results to `app`. Empty means the place of the context.
void add_results(CLI::App& app, std::string& target);

// Gives the result an id, and keeps it under that.
Result<> keep(const Context& context, const std::string& place, BenchResult& result);

// The ids of the place, the newest first.
Result<std::vector<std::string>> kept_ids(const Context& context, const std::string& place);

// One of these without its series.
Result<BenchResult> kept_head(const Context& context,
                              const std::string& place,
                              const std::string& id);

// What `word` names: an id, "-" or a file. A file that is called like an id is reached as "./ID".
Result<BenchResult> find_result(const Context& context,
                                const std::string& place,
                                const std::string& word);

}  // namespace manactl::cli
