// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/check/render_check.h"
#include "cli/command.h"
#include "cli/facts.h"
#include "cli/input.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/watch.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct CheckOptions {
  std::optional<NicName> nic;
  std::string machine;  // a bundle or captured tree instead of --root
  WatchOptions watch;
  std::vector<std::string> only;
  std::uint16_t queues = 1;
  bool strict = false;
};

// Accepts a NIC, or the path of a bundle.
Result<> parse_target(CheckOptions& options, const std::string& text) {
  if (names_captured_machine(text)) {
    options.machine = text;
    return {};
  }
  auto nic = NicName::parse(text);
  if (!nic && text.find('/') != std::string::npos) {
    return fail(Errc::invalid,
                fmt::format("'{}' is neither a NIC nor a bundle; 'manactl doctor FILE' reads logs",
                            printable(text)));
  }
  if (!nic) return tl::unexpected<Error>(nic.error());
  options.nic = std::move(*nic);
  return {};
}

Exit run_check(const CheckOptions& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = gather_facts(*system, context.root);
  auto check_options = check_options_for(facts, options.queues);
  if (options.nic) {
    const auto nic = facts.azure_nic(options.nic->str());
    if (!nic && diag::find_check(options.nic->str()) != nullptr) {
      return report_usage_error(
          context, fmt::format("check: '{0}' is a check: use --only {0}", options.nic->str()));
    }
    if (!nic) return report_error(context, nic.error());
    check_options.interface = options.nic->is_interface() ? options.nic->str() : (*nic)->name();
  }
  const auto report = diag::run_checks(facts, check_options, options.only);
  if (!report) return report_error(context, report.error());
  const Exit exit = exit_of(facts, *report, options.strict);
  const CheckResult result{facts, *report, check_options};
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
            [options](const std::string& text) { return parse_target(*options, text); });
  add_value(app,
            {"--only", type::kCheck, "run only these checks or groups, such as rdma", true},
            [options](const std::string& text) { return add_ids(options->only, text); });
  add_value(
      app,
      {"--queues", "N", "check the memory for N bench queues (default: 1)"},
      store_in(options->queues, [](std::string_view text) { return parse_count(text, 1, 64); }));
  add_flag(app, "--strict", options->strict, "exit with 1 also for warnings and unknown results");
  add_watch(app, options->watch);
  return [options](Context& context) {
    if (!options->machine.empty() && !context.root.empty()) {
      return report_usage_error(context, "check: only one captured machine can be inspected");
    }
    if (!options->machine.empty()) context.root = options->machine;
    return watch(
        context, options->watch, [&](Context& inner) { return run_check(*options, inner); });
  };
}

}  // namespace manactl::cli
