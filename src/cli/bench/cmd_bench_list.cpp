// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/bench/render_bench.h"
#include "cli/bench/saved_results.h"
#include "cli/command.h"

namespace manactl::cli {
namespace {

Exit run_list(const std::string& directory, Context& context) {
  confine_to_results(context, directory, {});
  const auto ids = saved_ids(context, directory);
  if (!ids) return report_error(context, because(ids.error(), "bench list").value());
  std::vector<ListedResult> rows;
  for (const auto& id : *ids)
    rows.push_back(listed(id, load_without_series(context, directory, id)));
  if (context.json) {
    print_list_json(context.out, rows);
  } else if (rows.empty()) {
    context.out.stream() << fmt::format(
        "No saved results in {}; use --results DIR for another directory.\n",
        shell_word(chosen_directory(context, directory)));
  } else {
    print_list_text(context.out, rows);
  }
  return Exit::ok;
}

}  // namespace

CommandAction add_bench_list(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  add_results_option(app, *directory);
  return [directory](Context& context) { return run_list(*directory, context); };
}

}  // namespace manactl::cli
