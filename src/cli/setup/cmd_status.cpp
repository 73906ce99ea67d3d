// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/facts.h"
#include "cli/live/traffic_view.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/setup/render_setup.h"
#include "cli/setup/render_status.h"
#include "cli/watch.h"
#include "setup/persist.h"
#include "setup/session.h"

namespace manactl::cli {
namespace {

struct StatusOptions {
  Target target;
  WatchOptions watch;
  std::optional<Output> output;
};

// Keeps the NIC with this name, its function and its journal entry.
Result<> select(StatusOutput& result, const NicName& name) {
  const auto is_other = [&name](const setup::NicStatus& status) {
    return !status.has_name(name.str());
  };
  std::erase_if(result.status.nics, is_other);
  std::erase_if(result.status.others, is_other);
  if (result.status.nics.empty() && result.status.others.empty()) {
    const auto nic = find_nic(result.facts, name);
    if (!nic) return tl::unexpected<Error>(nic.error());
  }
  std::erase_if(result.functions, [&result](const host::PciFunction* function) {
    return std::ranges::none_of(result.status.nics, [function](const setup::NicStatus& status) {
      return status.nic.pci == function->address;
    });
  });
  return {};
}

std::vector<const host::PciFunction*> mana_functions(const host::Facts& facts) {
  std::vector<const host::PciFunction*> functions;
  if (!facts.functions) return functions;
  for (const auto& function : *facts.functions) {
    if (function.is_mana()) functions.push_back(&function);
  }
  return functions;
}

Exit run_status(const StatusOptions& options, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  const auto facts = gather_facts(*system);
  if (!facts.nics) {
    return report_error(context, because(facts.nics.error(), "cannot list the NICs").value());
  }
  StatusOutput result{facts, mana_functions(facts), {}, {}, {}};
  std::optional<std::vector<setup::Entry>> entries;
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
    result.persistent = setup::Persistence("").list("");
  }
  result.status = setup::status_of(facts, entries, *system, now);
  if (const auto& nic = options.target.nic) {
    const auto selected = select(result, *nic);
    if (!selected) return report_error(context, selected.error());
  }
  context.json ? print_json(context.out, result)
               : print_text(context.out, result, context.verbosity);
  return Exit::ok;
}

// Shows the traffic of the NICs until a signal.
Exit watch_traffic(const StatusOptions& options, Output output, Context& context) {
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  std::string id;
  if (const auto& name = options.target.nic) {
    const auto facts = gather_facts(*system);
    const auto nic = find_nic(facts, *name);
    if (!nic) return report_error(context, nic.error());
    id = host::traffic_id_of(**nic);
  }
  TrafficView view(*system, id);
  const auto started = view.start();
  if (!started) return report_error(context, started.error());
  auto watch_options = options.watch;
  watch_options.shows_changes = true;
  watch_options.is_stream = output == Output::ndjson;
  return watch(context, watch_options, [&](Context& inner) {
    return view.report(inner, watch_options.is_stream);
  });
}

Exit run(const StatusOptions& options, Context& context) {
  const auto opened = inspect(options.target.machine, "status", context);
  if (!opened) return report_error(context, opened.error());
  const auto output = output_of(context, options.output);
  if (!output) return report_error(context, because(output.error(), "status").value());
  if (*output == Output::ndjson && !options.watch.on) {
    return report_usage_error(context, "status: -o ndjson requires --watch");
  }
  // A captured system has no live view, and --json repeats the documents of the other output.
  if (options.watch.on && context.root.empty() && *output != Output::json) {
    return watch_traffic(options, *output, context);
  }
  return watch(context, options.watch, [&](Context& inner) { return run_status(options, inner); });
}

Exit run_confirm(const std::string& name, Context& context) {
  if (!context.root.empty()) {
    return report_usage_error(context, "confirm: --root is not supported");
  }
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  setup::SetupSession setup_session(*system);
  const auto allowed = setup_session.check_privileges();
  if (!allowed) return report_error(context, allowed.error());
  const setup::DeferredSignals signals;
  const auto confirmed = setup::confirm(name, setup_session.context("confirm"));
  if (!confirmed) return report_error(context, confirmed.error());
  context.json ? print_json(context.out, *confirmed) : print_text(context.out, *confirmed);
  return Exit::ok;
}

}  // namespace

CommandAction add_status(CLI::App& app) {
  auto options = std::make_shared<StatusOptions>();
  add_value(app,
            {"IFACE", type::kInterface, "show only this NIC, or inspect this bundle"},
            [options](const std::string& text) { return options->target.parse(text); });
  options->watch.default_seconds = 1;
  add_watch(app, options->watch);
  add_output(app, type::kStatusOutput, options->output);
  return [options](Context& context) { return run(*options, context); };
}

CommandAction add_confirm(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  add_value(app,
            {"IFACE", type::kInterface, "confirm this NIC (default: the only unconfirmed one)"},
            store_in(*name, parse_entry_name));
  return [name](Context& context) { return run_confirm(*name, context); };
}

}  // namespace manactl::cli
