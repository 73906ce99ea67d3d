// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/question.h"
#include "cli/render_check.h"
#include "host/gather.h"

namespace manactl::cli {
namespace {

struct Options {
  std::optional<InterfaceName> interface;
  std::vector<std::string> only;
  std::uint16_t queues = 1;
  bool strict = false;
};

Exit exit_for(const host::Facts& facts, const diag::Report& report, bool strict) {
  if (!facts.has_mana()) return Exit::unsupported;
  if (!report.healthy()) return Exit::findings;
  return strict && report.count(diag::Status::warn) > 0 ? Exit::findings : Exit::ok;
}

Exit run_check(const Options& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = host::gather(*system, embedded_dpdk());
  auto question = question_about(options.queues);
  if (options.interface) {
    const auto nic = find_nic(facts, options.interface->str());
    if (!nic) return report_error(context, nic.error());
    question.interface = options.interface->str();
  }
  const auto report = diag::run_checks(facts, question, options.only);
  if (!report) return report_error(context, report.error());
  const Exit exit = exit_for(facts, *report, options.strict);
  const CheckResult result{facts, *report, exit};
  context.json ? json(context.out, result) : text(context.out, result, context.verbosity);
  return exit;
}

Result<> take_ids(std::vector<std::string>& ids, const std::string& text) {
  for (const auto piece : split(text, ',')) {
    auto id = parse_text(piece, "a check or a group of checks");
    if (!id) return tl::unexpected<Error>(id.error());
    ids.push_back(std::move(*id));
  }
  return {};
}

}  // namespace

Run add_check(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(app,
            {"IFACE", type::kInterface, "look at this NIC only"},
            into(options->interface, InterfaceName::parse));
  add_value(app,
            {"--only", type::kCheck, "run these checks or groups: rdma,memory.hugepages", true},
            [options](const std::string& text) { return take_ids(options->only, text); });
  add_value(app,
            {"--queues", "N", "judge the memory for a bench of N queues"},
            into(options->queues, [](std::string_view text) { return parse_count(text, 1, 64); }));
  add_flag(app, "--strict", options->strict, "exit 1 for warnings, too");
  return [options](Context& context) { return run_check(*options, context); };
}

}  // namespace manactl::cli
