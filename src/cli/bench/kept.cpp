// SPDX-License-Identifier: MIT

#include "cli/bench/kept.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>

#include "base/text.h"
#include "cli/bench/json.h"
#include "cli/bench/reader.h"
#include "cli/log_files.h"
#include "cli/options.h"
#include "host/results.h"

namespace manactl::cli {
namespace {

Result<std::string> parse_place(std::string_view text) {
  if (text.starts_with('/')) return parse_text(text, "a directory");
  return fail(Errc::invalid,
              fmt::format("'{}' does not begin with '/', as a directory for results has to",
                          printable(text, 60)));
}

Result<host::Results> open_place(const Context& context, const std::string& place) {
  const auto& directory = place.empty() ? context.results : place;
  if (directory.empty()) {
    return fail(Errc::invalid, "there is no place for results: HOME is not set, see --results");
  }
  return host::Results(directory);
}

}  // namespace

void add_results(CLI::App& app, std::string& target) {
  add_value(
      app, {"--results", type::kDirectory, "where results are kept"}, into(target, parse_place));
}

Result<> keep(const Context& context, const std::string& place, BenchResult& result) {
  auto results = open_place(context, place);
  if (!results) return tl::unexpected<Error>(results.error());
  result.id = host::result_id(static_cast<std::time_t>(result.began.front()),
                              static_cast<std::uint64_t>(getpid()));
  auto kept = results->keep(result.id, bench_json(result));
  if (!kept) result.id.clear();
  return kept;
}

Result<std::vector<std::string>> kept_ids(const Context& context, const std::string& place) {
  const auto results = open_place(context, place);
  if (!results) return tl::unexpected<Error>(results.error());
  auto ids = results->ids();
  if (ids) std::reverse(ids->begin(), ids->end());
  return ids;
}

Result<BenchResult> kept_head(const Context& context,
                              const std::string& place,
                              const std::string& id) {
  const auto results = open_place(context, place);
  if (!results) return tl::unexpected<Error>(results.error());
  auto text = results->read(id);
  if (!text) return tl::unexpected<Error>(text.error());
  // Reading the series of a hundred long runs would take minutes.
  const auto series = text->rfind(kSeriesMark);
  if (series != std::string::npos) text->replace(series, std::string::npos, "\n}");
  return read_bench(*text, id);
}

Result<BenchResult> find_result(const Context& context,
                                const std::string& place,
                                const std::string& word) {
  if (!host::is_result_id(word)) {
    const auto text = read_whole(word, "a result");
    if (!text) return tl::unexpected<Error>(text.error());
    return read_bench(*text, printable(word, 200));
  }
  const auto results = open_place(context, place);
  if (!results) return tl::unexpected<Error>(results.error());
  const auto text = results->read(word);
  if (!text) return tl::unexpected<Error>(text.error());
  return read_bench(*text, word);
}

}  // namespace manactl::cli
