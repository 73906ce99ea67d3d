// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/setup/render_setup.h"
#include "os/dry_run.h"
#include "setup/session.h"

namespace manactl::cli {
namespace {

Exit run_dry(const setup::RestoreRequest& request, const os::System& system, Context& context) {
  os::DryRun dry_run(system);
  setup::SetupSession setup_session(dry_run.system(), context.root);
  const auto planned = setup::restore(request, setup_session.context("restore"));
  if (!planned) return report_error(context, planned.error());
  context.json ? print_json(context.out, *planned, true, Exit::ok)
               : print_plan(context.out, *planned, context.verbosity);
  return Exit::ok;
}

Exit run_restore(const setup::RestoreRequest& request, Context& context) {
  const bool is_named = !request.name.empty();
  if (is_named == (request.all || (request.unfinished && !is_named))) {
    return report_usage_error(context, "restore: name an interface, or use --all or --recover");
  }
  if (!context.root.empty() && !request.dry_run) {
    return report_usage_error(context, "restore: --root requires --dry-run");
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  if (request.dry_run) return run_dry(request, *system, context);
  setup::SetupSession setup_session(*system);
  const auto allowed = setup_session.check_privileges();
  if (!allowed) return report_error(context, allowed.error());
  setup::DeferredSignals signals;  // a signal must not interrupt a restore
  const auto restored = setup::restore(
      request, setup_session.context("restore " + (is_named ? request.name : "--all")));
  if (!restored) return report_error(context, restored.error());
  const Exit exit = exit_of(*restored);
  context.json ? print_json(context.out, *restored, false, exit)
               : print_text(context.out, *restored, context.verbosity);
  return exit;
}

}  // namespace

CommandAction add_restore(CLI::App& app) {
  auto options = std::make_shared<setup::RestoreRequest>();
  add_value(app,
            {"IFACE", type::kInterface, "restore this NIC (interface, address or VMBus id)"},
            store_in(options->name, parse_entry_name));
  add_flag(app, "--all", options->all, "restore everything in the journal");
  add_flag(app, "--recover", options->unfinished, "restore only interrupted runs of prepare");
  add_flag(app, "--force", options->force, "overwrite later changes, unbind devices in use");
  add_flag(
      app, "--dry-run", options->dry_run, "show each step (-v: each write), but change nothing");
  return [options](Context& context) { return run_restore(*options, context); };
}

}  // namespace manactl::cli
