// SPDX-License-Identifier: MIT
//
// Saves results, and finds them by id, in files and on standard input.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "report/result.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// Adds --results to `app`. In all functions, an empty `directory` means Context::results.
void add_results_option(CLI::App& app, std::string& target);

// Confines the process (confine()) to the directory and to the files among `words`, which may also
// be ids or "-".
void confine_to_results(Context& context,
                        const std::string& directory,
                        const std::vector<std::string>& words);

// Assigns an id to the result and saves it.
Result<> save_result(const Context& context,
                     const std::string& directory,
                     report::BenchResult& result);

// Returns the ids in the directory, newest first.
Result<std::vector<std::string>> saved_ids(const Context& context, const std::string& directory);

// Reads a saved result without its series.
Result<report::BenchResult> load_without_series(const Context& context,
                                                const std::string& directory,
                                                const std::string& id);

// Reads a result. `word` is an id, "-" for standard input, or a file ("./ID" if its name is an id).
Result<report::BenchResult> find_result(const Context& context,
                                        const std::string& directory,
                                        const std::string& word);

}  // namespace manactl::cli
