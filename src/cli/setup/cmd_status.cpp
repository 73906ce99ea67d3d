// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
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
};

bool has_name(const setup::NicStatus& status, const std::string& name) {
  const auto& nic = status.nic;
  return status.name == name || nic.interface == name || nic.vf == name ||
         nic.channel_id() == name || (nic.pci && nic.pci->str() == name) ||
         (nic.mac && nic.mac->str() == name);
}

// Keeps the NIC with this name, its function and its journal entry.
Result<> select(StatusOutput& result, const NicName& name) {
  const auto is_other = [&name](const setup::NicStatus& status) {
    return !has_name(status, name.str());
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
  add_watch(app, options->watch);
  return [options](Context& context) {
    const auto opened = inspect(options->target.machine, "status", context);
    if (!opened) return report_error(context, opened.error());
    return watch(
        context, options->watch, [&](Context& inner) { return run_status(*options, inner); });
  };
}

CommandAction add_confirm(CLI::App& app) {
  auto name = std::make_shared<std::string>();
  add_value(app,
            {"IFACE", type::kInterface, "confirm this NIC (default: the only unconfirmed one)"},
            store_in(*name, parse_entry_name));
  return [name](Context& context) { return run_confirm(*name, context); };
}

}  // namespace manactl::cli
