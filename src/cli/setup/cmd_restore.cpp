// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/setup/render_setup.h"
#include "setup/persist.h"
#include "setup/session.h"

namespace manactl::cli {
namespace {

struct RestoreOptions {
  setup::RestoreRequest request;
  bool persist = false;
};

Exit run_restore(const RestoreOptions& options, Context& context) {
  const auto& request = options.request;
  const bool is_named = !request.name.empty();
  if (is_named == (request.all || (request.unfinished && !is_named))) {
    return report_usage_error(context, "restore: name an interface, or use --all or --recover");
  }
  if (!context.root.empty()) {
    return report_usage_error(context, "restore: --root is not supported");
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  setup::SetupSession setup_session(*system);
  const auto allowed = setup_session.check_privileges();
  if (!allowed) return report_error(context, allowed.error());
  setup::DeferredSignals signals;  // a signal must not interrupt a restore
  RestoreOutput result;
  if (options.persist) {
    auto removed = setup::Persistence().remove(request.name);
    if (!removed) return report_error(context, removed.error());
    result.removed = std::move(*removed);
  }
  auto restored = setup::restore(
      request, setup_session.context("restore " + (is_named ? request.name : "--all")));
  if (!restored) {
    const bool only_files = restored.error().code == Errc::not_found && !result.removed.empty();
    if (!only_files) return report_error(context, restored.error());
    restored = std::vector<setup::RestoreResult>{};
  }
  result.restored = std::move(*restored);
  const Exit exit = exit_of(result.restored);
  context.json ? print_json(context.out, result, exit)
               : print_text(context.out, result, context.verbosity);
  return exit;
}

}  // namespace

CommandAction add_restore(CLI::App& app) {
  auto options = std::make_shared<RestoreOptions>();
  add_value(app,
            {"IFACE", type::kInterface, "restore this NIC (interface, address or VMBus id)"},
            store_in(options->request.name, [](std::string_view text) -> Result<std::string> {
              const auto nic = NicName::parse(text);
              return nic ? nic->str() : parse_text(text, "an interface");
            }));
  add_flag(app, "--all", options->request.all, "restore everything in the journal");
  add_flag(
      app, "--recover", options->request.unfinished, "restore only interrupted runs of prepare");
  add_flag(
      app, "--force", options->request.force, "overwrite later changes, unbind devices in use");
  add_flag(app, "--persist", options->persist, "also remove the files of prepare --persist");
  return [options](Context& context) { return run_restore(*options, context); };
}

}  // namespace manactl::cli
