// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/facts.h"
#include "cli/setup/render_setup.h"
#include "setup/persist.h"
#include "setup/session.h"

namespace manactl::cli {
namespace {

Exit run_status(Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = gather_facts(*system);
  if (!facts.nics) return report_error(context, facts.nics.error());
  StatusOutput result;
  std::vector<setup::Entry> entries;
  std::chrono::milliseconds now{0};
  if (context.root.empty()) {
    const setup::SetupSession setup_session(*system);
    now = setup_session.now();
    auto read = setup_session.entries();
    if (read) {
      entries = std::move(*read);
    } else {
      result.journal_error = read.error().message;
    }
    result.persistent = setup::Persistence().list("");
  }
  result.status = setup::status_of(facts, entries, *system, now);
  context.json ? print_json(context.out, result)
               : print_text(context.out, result, context.verbosity);
  return Exit::ok;
}

Exit run_confirm(Context& context) {
  if (!context.root.empty()) {
    return report_usage_error(context, "confirm: --root is not supported");
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  setup::SetupSession setup_session(*system);
  const auto allowed = setup_session.check_privileges();
  if (!allowed) return report_error(context, allowed.error());
  const setup::DeferredSignals signals;
  const auto confirmed = setup::confirm(setup_session.context("confirm"));
  if (!confirmed) return report_error(context, confirmed.error());
  context.json ? print_confirm_json(context.out, *confirmed)
               : print_confirm_text(context.out, *confirmed);
  return Exit::ok;
}

}  // namespace

CommandAction add_status(CLI::App& /*app*/) {
  return [](Context& context) { return run_status(context); };
}

CommandAction add_confirm(CLI::App& /*app*/) {
  return [](Context& context) { return run_confirm(context); };
}

}  // namespace manactl::cli
