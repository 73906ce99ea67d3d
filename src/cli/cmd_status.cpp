// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.h"
#include "cli/options.h"
#include "cli/question.h"
#include "cli/render_setup.h"
#include "host/gather.h"
#include "setup/live.h"
#include "setup/persist.h"
#include "setup/signals.h"

namespace manactl::cli {
namespace {

Exit run_status(Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = host::gather(*system, embedded_dpdk());
  if (!facts.nics) return report_error(context, facts.nics.error());
  StatusAnswer answer;
  std::vector<setup::Entry> entries;
  std::chrono::milliseconds now{0};
  if (context.root.empty()) {
    const setup::Live live(*system);
    now = live.now();
    auto read = live.entries();
    if (read) {
      entries = std::move(*read);
    } else {
      answer.journal_error = read.error().message;
    }
    answer.persistent = setup::Persistence().list("").value_or(std::vector<std::string>{});
  }
  answer.status = setup::status_of(facts, entries, *system, now);
  context.json ? json(context.out, answer) : text(context.out, answer, context.verbosity);
  return Exit::ok;
}

Exit run_confirm(Context& context) {
  if (!context.root.empty()) {
    return report_error(context, Error{Errc::invalid, 0, "confirm: --root can only be looked at"});
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  setup::Live live(*system);
  const auto allowed = live.may_change();
  if (!allowed) return report_error(context, allowed.error());
  const setup::HeldSignals signals;
  const auto confirmed = setup::confirm(live.session("confirm"));
  if (!confirmed) return report_error(context, confirmed.error());
  context.json ? confirm_json(context.out, *confirmed) : confirm_text(context.out, *confirmed);
  return Exit::ok;
}

}  // namespace

Run add_status(CLI::App& /*app*/) {
  return [](Context& context) { return run_status(context); };
}

Run add_confirm(CLI::App& /*app*/) {
  return [](Context& context) { return run_confirm(context); };
}

}  // namespace manactl::cli
