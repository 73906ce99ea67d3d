// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>
#include <utility>

#include "base/text.h"
#include "cli/check/render_check.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/facts.h"
#include "cli/imds.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/watch.h"
#include "host/load.h"

namespace manactl::cli {
namespace {

struct CheckOptions {
  Target target;
  WatchOptions watch;
  ImdsOptions imds;
  std::optional<double> interval;  // between two samples of the load; with --watch, there is one
  std::vector<std::string> only;
  std::optional<diag::Use> use;
  std::uint16_t queues = 1;
  bool strict = false;
};

// Takes a second sample of the load after the interval.
void measure(const os::System& system, double seconds, host::Facts& facts) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  facts.earlier_load = std::exchange(facts.load, host::gather_load(system, facts));
}

bool is_check_or_group(const std::string& name) {
  return diag::find_check(name) != nullptr || std::ranges::count(diag::check_groups(), name) != 0;
}

Exit run_check(const CheckOptions& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  auto facts = gather_check_facts(*system, context.root, options.imds.asked_address());
  if (options.interval) {
    print_note(context, fmt::format("measuring for {} s", *options.interval));
    measure(*system, *options.interval, facts);
  }
  auto check_options = check_options_for(facts, options.queues);
  check_options.use = options.use;
  check_options.forecast = true;
  if (const auto& name = options.target.nic) {
    const auto nic = find_nic(facts, *name);
    if (!nic && is_check_or_group(name->str())) {
      return report_usage_error(
          context, fmt::format("check: '{0}' is not an interface: use --only {0}", name->str()));
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
  add_imds(app, options->imds);
  add_watch(app, options->watch);
  app.get_option("--interval")
      ->description("measure speed for this time; with --watch, time between two reports");
  return [options](Context& context) {
    if (!options->watch.on) options->interval = std::exchange(options->watch.seconds, {});
    const auto opened = inspect(options->target.machine, "check", context);
    if (!opened) return report_error(context, opened.error());
    if (options->interval && !context.root.empty()) {
      return report_usage_error(
          context, "--interval cannot be used with --root: a captured system never changes");
    }
    if (options->use == diag::Use::kernel && is_typed(context.arguments, "--queues")) {
      return report_usage_error(
          context, "check: --queues has no effect: with --for kernel, no memory is checked");
    }
    const auto refused = refuse_imds(options->imds, "check", context);
    if (!refused) return report_usage_error(context, refused.error().message);
    return watch(
        context, options->watch, [&](Context& inner) { return run_check(*options, inner); });
  };
}

}  // namespace manactl::cli
