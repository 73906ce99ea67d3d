// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/options.h"
#include "cli/render_setup.h"
#include "setup/live.h"
#include "setup/persist.h"
#include "setup/signals.h"

namespace manactl::cli {
namespace {

struct Options {
  setup::RestoreRequest request;
  bool persist = false;
};

Exit run_restore(const Options& options, Context& context) {
  const auto& request = options.request;
  const bool named = !request.name.empty();
  if (named == (request.all || (request.unfinished && !named))) {
    return report_error(
        context, Error{Errc::invalid, 0, "restore: name an interface, or use --all or --recover"});
  }
  if (!context.root.empty()) {
    return report_error(context, Error{Errc::invalid, 0, "restore: --root can only be looked at"});
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  setup::Live live(*system);
  const auto allowed = live.may_change();
  if (!allowed) return report_error(context, allowed.error());
  setup::HeldSignals signals;  // half a restore is worse than a late one
  RestoreAnswer answer;
  if (options.persist) {
    auto removed = setup::Persistence().remove(request.name);
    if (!removed) return report_error(context, removed.error());
    answer.removed = std::move(*removed);
  }
  auto restored =
      setup::restore(request, live.session("restore " + (named ? request.name : "--all")));
  if (!restored) {
    const bool gone = restored.error().code == Errc::not_found && !answer.removed.empty();
    if (!gone) return report_error(context, restored.error());
    restored = std::vector<setup::Restored>{};
  }
  answer.restored = std::move(*restored);
  const bool complete = std::all_of(
      answer.restored.begin(), answer.restored.end(), [](auto& one) { return one.is_complete(); });
  answer.exit = complete ? Exit::ok : Exit::roll_back_failed;
  context.json ? json(context.out, answer) : text(context.out, answer, context.verbosity);
  return answer.exit;
}

}  // namespace

Run add_restore(CLI::App& app) {
  auto options = std::make_shared<Options>();
  add_value(app,
            {"IFACE", type::kInterface, "what was prepared: an interface or a VMBus id"},
            into(options->request.name,
                 [](std::string_view text) { return parse_text(text, "an interface"); }));
  add_flag(app, "--all", options->request.all, "everything that the journal tells of");
  add_flag(app, "--recover", options->request.unfinished, "only what did not come to its end");
  add_flag(app,
           "--force",
           options->request.force,
           "overwrite what something else changed, take what a process uses");
  add_flag(app, "--persist", options->persist, "remove the files of prepare --persist, too");
  return [options](Context& context) { return run_restore(*options, context); };
}

}  // namespace manactl::cli
