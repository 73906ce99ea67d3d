// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/check/render_check.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/watch.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct CheckOptions {
  Target target;
  WatchOptions watch;
  std::vector<std::string> only;
  std::optional<diag::Use> use;
  std::uint16_t queues = 1;
  bool strict = false;
};

Exit run_check(const CheckOptions& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = gather_facts(*system, context.root, host::MoveForecast::include);
  auto check_options = check_options_for(facts, options.queues);
  check_options.use = options.use;
  check_options.forecast = true;
  if (const auto& name = options.target.nic) {
    const auto nic = find_nic(facts, *name);
    if (!nic && diag::find_check(name->str()) != nullptr) {
      return report_usage_error(
          context, fmt::format("check: '{0}' is a check: use --only {0}", name->str()));
    }
    if (!nic) return report_error(context, nic.error());
    check_options.interface = name->is_interface() ? name->str() : (*nic)->name();
  }
  auto report = diag::run_checks(facts, check_options, options.only);
  if (!report) return report_error(context, report.error());
  const Exit exit = exit_of(facts, *report, options.strict);
  const CommandHints hints(context);
  hints.complete(*report);
  const CheckResult result{facts, *report, check_options, hints};
  context.json ? print_json(context.out, result, exit)
               : print_text(context.out, result, exit, context.verbosity);
  return exit;
}

Result<> add_ids(std::vector<std::string>& ids, const std::string& text) {
  for (const auto piece : split(text, ',')) {
    auto id = parse_text(piece, "a check or a group of checks");
    if (!id) return tl::unexpected<Error>(id.error());
    ids.push_back(std::move(*id));
  }
  return {};
}

}  // namespace

CommandAction add_check(CLI::App& app) {
  auto options = std::make_shared<CheckOptions>();
  add_value(app,
            {"IFACE", type::kInterface, "check only this NIC, or inspect this bundle"},
            [options](const std::string& text) { return options->target.parse(text); });
  add_value(app,
            {"--only", type::kCheck, "run only these checks or groups, such as rdma", true},
            [options](const std::string& text) { return add_ids(options->only, text); });
  add_value(app,
            {"--for", type::kUse, "check only what kernel networking or DPDK needs"},
            store_word_in(options->use, diag::kUseWords));
  add_value(
      app,
      {"--queues", "N", "check the memory for N bench queues (default: 1)"},
      store_in(options->queues, [](std::string_view text) { return parse_count(text, 1, 64); }));
  add_flag(app, "--strict", options->strict, "exit with 1 also for warnings and unknown results");
  add_watch(app, options->watch);
  return [options](Context& context) {
    const auto opened = inspect(options->target.machine, "check", context);
    if (!opened) return report_error(context, opened.error());
    return watch(
        context, options->watch, [&](Context& inner) { return run_check(*options, inner); });
  };
}

}  // namespace manactl::cli
