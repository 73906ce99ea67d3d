// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "cli/bench/exit.h"
#include "cli/bench/saved_results.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/version.h"

namespace manactl::cli {
namespace {

struct BenchRmOptions {
  std::vector<std::string> words;
  std::string results;  // directory
  bool dry_run = false;
};

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// Returns the id of each word once, in the order of the words. Fails if one is not saved.
Result<std::vector<std::string>> ids_of(const BenchRmOptions& options, const Context& context) {
  const auto saved = saved_ids(context, options.results);
  if (!saved) return tl::unexpected<Error>(saved.error());
  std::vector<std::string> ids;
  for (const auto& word : options.words) {
    auto id = resolve_id(context, options.results, word);
    if (!id) return tl::unexpected<Error>(id.error());
    if (!contains(*saved, *id)) return fail(Errc::invalid, "no result '" + *id + "' is saved");
    if (!contains(ids, *id)) ids.push_back(std::move(*id));
  }
  return ids;
}

void print(Context& context, const std::vector<std::string>& ids, bool dry_run) {
  if (context.json) {
    nlohmann::ordered_json document;
    document["schema"] = "manactl.bench-rm/1";
    document["manactl"] = version();
    document["dry_run"] = dry_run;
    document["removed"] = strings(ids);
    context.out.stream() << document.dump(2) << '\n';
    return;
  }
  for (const auto& id : ids) {
    context.out.stream() << (dry_run ? "Would remove " : "Removed ") << id << '\n';
  }
}

Exit run_rm(const BenchRmOptions& options, Context& context) {
  if (options.words.empty()) {
    return refuse(
        context, "bench rm", Error{Errc::invalid, 0, "no result is named; see manactl bench list"});
  }
  const auto& directory = options.results.empty() ? context.results : options.results;
  context.sandbox.write.push_back(directory);
  confine_to_results(context, options.results, {});
  const auto ids = ids_of(options, context);
  if (!ids) return refuse(context, "bench rm", ids.error());
  for (const auto& id : *ids) {
    if (options.dry_run) continue;
    const auto removed = remove_result(context, options.results, id);
    if (!removed) return refuse(context, "bench rm", removed.error());
  }
  print(context, *ids, options.dry_run);
  return Exit::ok;
}

}  // namespace

CommandAction add_bench_rm(CLI::App& app) {
  auto options = std::make_shared<BenchRmOptions>();
  add_value(app,
            {"RESULT", type::kResult, "the saved results to remove", true},
            [options](const std::string& text) -> Result<> {
              auto word = parse_text(text, "a result");
              if (!word) return tl::unexpected<Error>(word.error());
              options->words.push_back(std::move(*word));
              return {};
            })
      ->allow_extra_args(true);
  add_flag(app, "--dry-run", options->dry_run, "print what would be removed, but remove nothing");
  add_results_option(app, options->results);
  return [options](Context& context) { return run_rm(*options, context); };
}

}  // namespace manactl::cli
