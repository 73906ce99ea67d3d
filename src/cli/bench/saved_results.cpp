// SPDX-License-Identifier: MIT

#include "cli/bench/saved_results.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "cli/bench/exit.h"
#include "cli/input.h"
#include "cli/options.h"
#include "report/bench_json.h"
#include "report/result_store.h"

namespace manactl::cli {
namespace {

Result<std::string> parse_directory(std::string_view text) {
  auto directory = parse_text(text, "a directory");
  if (!directory || directory->starts_with('/')) return directory;
  std::error_code error;
  const auto here = std::filesystem::current_path(error);
  if (error) return fail_errno(error.value(), "cannot find the current directory");
  return (here / *directory).lexically_normal().string();
}

Result<report::ResultStore> open_store(const Context& context, const std::string& directory) {
  const auto& path = chosen_directory(context, directory);
  if (path.empty()) {
    return fail(Errc::invalid,
                "no directory for saved results: HOME is not set; use --results DIR");
  }
  return report::ResultStore(path);
}

// Such a word cannot name a saved result.
bool is_path(const std::string& word) {
  return word == "-" || word.find('/') != std::string::npos;
}

// Returns the newest result with this label. Reads all results, because file names lack labels.
std::optional<std::string> find_label(const Context& context,
                                      const std::string& directory,
                                      const std::vector<std::string>& ids,
                                      const std::string& label) {
  for (const auto& id : ids) {
    const auto result = load_without_series(context, directory, id);
    if (result && result->label == label) return id;
  }
  return std::nullopt;
}

// Another user may have created a file with the name of a saved result in this directory.
Result<> check_names_only_a_file(const Context& context,
                                 const std::string& directory,
                                 const std::string& word) {
  if (is_path(word)) return {};
  const auto saved = resolve_id(context, directory, word);
  if (!saved) return {};
  return fail(
      Errc::invalid,
      fmt::format("'{}' is both a file and a saved result: use './{}' for the file, or '{}' "
                  "for the saved result",
                  printable(word),
                  printable(word),
                  *saved));
}

// True for an id, and for a prefix of an id with at least its date.
bool looks_like_id(std::string_view text) {
  constexpr std::string_view kExample = "20261129-000000-0000", kDate = kExample.substr(0, 8);
  std::string id(text);
  if (text.size() < kExample.size()) id += kExample.substr(text.size());
  return text.size() >= kDate.size() && report::is_result_id(id);
}

}  // namespace

Result<std::string> parse_label(std::string_view text) {
  constexpr std::size_t kMaxLabel = 40;
  auto label = parse_text(text, "a label");
  if (!label) return label;
  if (text.size() > kMaxLabel || text.find('/') != std::string_view::npos || text == "-" ||
      text == report::kLatest || looks_like_id(text)) {
    return fail(
        Errc::invalid,
        fmt::format("'{}' cannot be a label: it must have at most {} characters, contain no "
                    "slash, and be neither an id nor '-' nor 'latest'",
                    printable(text),
                    kMaxLabel));
  }
  return label;
}

const std::string& chosen_directory(const Context& context, const std::string& directory) {
  return directory.empty() ? context.results : directory;
}

void add_results_option(CLI::App& app, std::string& target) {
  add_value(app,
            {"--results", type::kDirectory, "use this directory of saved results"},
            store_in(target, parse_directory));
}

void confine_to_results(Context& context,
                        const std::string& directory,
                        const std::vector<std::string>& words) {
  context.sandbox.read = words;
  context.sandbox.read.push_back(chosen_directory(context, directory));
  confine(context);
}

SaveResult result_writer(const Context& context, const std::string& directory) {
  const auto& path = chosen_directory(context, directory);
  if (path.empty()) return {};
  return [path](const std::string& id, const std::string& text) {
    return report::ResultStore(path).save(id, text);
  };
}

Result<> save_result(BenchFiles& files, report::BenchResult& result) {
  result.id = files.id();
  auto saved = files.save(report::bench_json(result, exit_code_of(result)));
  if (!saved) result.id.clear();
  return saved;
}

Result<std::vector<std::string>> saved_ids(const Context& context, const std::string& directory) {
  const auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  return store->ids();
}

Result<report::BenchResult> load_without_series(const Context& context,
                                                const std::string& directory,
                                                const std::string& id) {
  const auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  auto text = store->read(id);
  if (!text) return tl::unexpected<Error>(text.error());
  return report::read_bench_without_series(std::move(*text), id);
}

bool names_a_file(const std::string& word) {
  if (is_path(word)) return true;
  return word != report::kLatest && !report::is_result_id(word) && access(word.c_str(), F_OK) == 0;
}

Result<std::string> resolve_id(const Context& context,
                               const std::string& directory,
                               const std::string& word) {
  if (report::is_result_id(word)) return word;
  const auto ids = saved_ids(context, directory);
  if (!ids) return tl::unexpected<Error>(ids.error());
  if (ids->empty()) {
    const auto missing = fmt::format(
        "no result is saved yet in {}; use --results DIR for another "
        "directory",
        shell_word(chosen_directory(context, directory)));
    return fail(Errc::invalid,
                word == report::kLatest
                    ? missing
                    : fmt::format("'{}' is not a file, and {}", printable(word), missing));
  }
  if (const auto labeled = find_label(context, directory, *ids, word)) return *labeled;
  const auto found = report::find_id(*ids, word);
  if (!found) return tl::unexpected<Error>(found.error());
  if (*found) return **found;
  return fail(
      Errc::invalid,
      fmt::format("'{}' is neither a file nor an id, a unique prefix of an id, or the label "
                  "of a saved result; 'manactl bench list' shows these",
                  printable(word)));
}

Result<> remove_result(const Context& context,
                       const std::string& directory,
                       const std::string& id) {
  auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  return store->remove(id);
}

Result<report::BenchResult> find_result(const Context& context,
                                        const std::string& directory,
                                        const std::string& word) {
  if (names_a_file(word)) {
    const auto checked = check_names_only_a_file(context, directory, word);
    if (!checked) return tl::unexpected<Error>(checked.error());
    constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
    const auto text = read_input(word, "a result", kMaxBytes);
    if (!text) return tl::unexpected<Error>(text.error());
    return report::read_bench(*text, printable(word));
  }
  const auto id = resolve_id(context, directory, word);
  if (!id) return tl::unexpected<Error>(id.error());
  const auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  const auto text = store->read(*id);
  if (!text) return tl::unexpected<Error>(text.error());
  auto result = report::read_bench(*text, *id);
  if (result) result->id = *id;
  return result;
}

}  // namespace manactl::cli
