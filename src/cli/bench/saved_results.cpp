// SPDX-License-Identifier: MIT

#include "cli/bench/saved_results.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <ctime>

#include "base/text.h"
#include "cli/bench/exit.h"
#include "cli/input.h"
#include "cli/options.h"
#include "report/bench_json.h"
#include "report/result_store.h"

namespace manactl::cli {
namespace {

Result<std::string> parse_directory(std::string_view text) {
  if (text.starts_with('/')) return parse_text(text, "a directory");
  return fail(Errc::invalid, fmt::format("'{}' is not an absolute path", printable(text)));
}

Result<report::ResultStore> open_store(const Context& context, const std::string& directory) {
  const auto& path = directory.empty() ? context.results : directory;
  if (path.empty()) {
    return fail(Errc::invalid,
                "no directory for saved results: HOME is not set; use --results DIR");
  }
  return report::ResultStore(path);
}

}  // namespace

void add_results_option(CLI::App& app, std::string& target) {
  add_value(app,
            {"--results", type::kDirectory, "use this directory of saved results"},
            store_in(target, parse_directory));
}

void confine_to_results(Context& context,
                        const std::string& directory,
                        const std::vector<std::string>& words) {
  context.sandbox.read = words;
  context.sandbox.read.push_back(directory.empty() ? context.results : directory);
  confine(context);
}

Result<> save_result(const Context& context,
                     const std::string& directory,
                     report::BenchResult& result) {
  auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  result.id = report::result_id(static_cast<std::time_t>(result.trial_starts.front()),
                                static_cast<std::uint64_t>(getpid()));
  auto saved = store->save(result.id, report::bench_json(result, exit_code_of(result)));
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

Result<report::BenchResult> find_result(const Context& context,
                                        const std::string& directory,
                                        const std::string& word) {
  if (!report::is_result_id(word)) {
    constexpr std::size_t kMaxBytes = std::size_t{64} << 20U;
    const auto text = read_input(word, "a result", kMaxBytes);
    if (!text) return tl::unexpected<Error>(text.error());
    return report::read_bench(*text, printable(word));
  }
  const auto store = open_store(context, directory);
  if (!store) return tl::unexpected<Error>(store.error());
  const auto text = store->read(word);
  if (!text) return tl::unexpected<Error>(text.error());
  return report::read_bench(*text, word);
}

}  // namespace manactl::cli
