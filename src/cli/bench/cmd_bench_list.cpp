// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/bench/kept.h"
#include "cli/bench/render_list.h"
#include "cli/command.h"

namespace manactl::cli {
namespace {

Exit run_list(const std::string& place, Context& context) {
  const auto ids = kept_ids(context, place);
  if (!ids) return report_error(context, because(ids.error(), "bench list").value());
  std::vector<Listed> rows;
  for (const auto& id : *ids) rows.push_back({id, kept_head(context, place, id)});
  context.json ? list_json(context.out, rows) : list_text(context.out, rows);
  return Exit::ok;
}

}  // namespace

Run add_bench_list(CLI::App& app) {
  auto place = std::make_shared<std::string>();
  add_results(app, *place);
  return [place](Context& context) { return run_list(*place, context); };
}

}  // namespace manactl::cli
