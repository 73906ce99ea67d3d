// SPDX-License-Identifier: MIT
//
// Saves results, and finds them by id, in files and on standard input.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/bench/bench_files.h"
#include "cli/context.h"
#include "report/result.h"

namespace CLI {
class App;
}

namespace manactl::cli {

// Fails unless `text` has 1 to 40 characters, contains no slash, and cannot be taken for an id, "-"
// or "latest".
Result<std::string> parse_label(std::string_view text);

// Adds --results to `app`. In all functions, an empty `directory` means Context::results.
void add_results_option(CLI::App& app, std::string& target);

const std::string& chosen_directory(const Context& context, const std::string& directory);

// Confines the process (confine()) to the directory and to the files among `words`, which may also
// be ids or "-".
void confine_to_results(Context& context,
                        const std::string& directory,
                        const std::vector<std::string>& words);

// Returns a function that saves a result; empty if there is no directory.
SaveResult result_writer(const Context& context, const std::string& directory);

// Assigns an id to the result and saves it.
Result<> save_result(BenchFiles& files, report::BenchResult& result);

// Returns the ids in the directory, newest first.
Result<std::vector<std::string>> saved_ids(const Context& context, const std::string& directory);

// Reads a saved result without its series.
Result<report::BenchResult> load_without_series(const Context& context,
                                                const std::string& directory,
                                                const std::string& id);

// True if `word` is "-" (standard input) or names a file: it contains a slash, or it is neither an
// id nor "latest" and such a file exists.
bool names_a_file(const std::string& word);

// Returns the id of a saved result. `word` is the id, a unique prefix of it, "latest", or a
// label, which means the newest result with this label.
Result<std::string> resolve_id(const Context& context,
                               const std::string& directory,
                               const std::string& word);

Result<> remove_result(const Context& context, const std::string& directory, const std::string& id);

// Reads a result from a file or standard input, or the saved result that `word` names. Fails if
// `word` without a slash names both a file and a saved result.
Result<report::BenchResult> find_result(const Context& context,
                                        const std::string& directory,
                                        const std::string& word);

}  // namespace manactl::cli
