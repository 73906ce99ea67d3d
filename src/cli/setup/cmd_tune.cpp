// SPDX-License-Identifier: MIT

#include <CLI/CLI.hpp>
#include <cmath>
#include <memory>

#include "base/text.h"
#include "cli/command.h"
#include "cli/command_hints.h"
#include "cli/facts.h"
#include "cli/nic_name.h"
#include "cli/options.h"
#include "cli/setup/render_setup.h"
#include "host/snapshot.h"
#include "os/dry_run.h"
#include "setup/session.h"
#include "setup/watchdog_process.h"

namespace manactl::cli {
namespace {

struct TuneOptions {
  setup::TuneRequest request;
  std::optional<NicName> nic;
  std::optional<double> confirm;
  bool dry_run = false;
};

// Stores "vf-rx-ring=4096".
Result<> add_tuned_setting(setup::TuneRequest& request, std::string_view text) {
  const auto equals = text.find('=');
  const auto name = text.substr(0, equals);
  const auto* tunable = host::find_tunable(name);
  if (tunable == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : host::tunables()) names.emplace_back(known.name);
    return tl::unexpected<Error>(not_one_of(name, names));
  }
  if (equals == std::string_view::npos) {
    return fail(Errc::invalid, fmt::format("'{}' has no value: {}=VALUE", name, name));
  }
  const auto value = text.substr(equals + 1);
  auto accepted = host::check_value(*tunable, value);
  if (accepted) request.settings[std::string(name)] = value;
  return accepted;
}

// Prints the result: a failure as text to stderr, everything else to stdout.
Exit print_result(const TuneOutput& result, Context& context) {
  const Exit exit = exit_of(result.nics);
  if (context.json) {
    print_json(context.out, result, exit);
  } else {
    print_text(exit == Exit::ok ? context.out : context.err, result, context.verbosity);
  }
  return exit;
}

void add_persistent_files(TuneOutput& result) {
  for (const auto& nic : result.nics) {
    const auto& paths = nic.result.persistent;
    result.persistent.insert(result.persistent.end(), paths.begin(), paths.end());
  }
}

Exit run_dry(const TuneOptions& options, const os::System& system, Context& context) {
  os::DryRun dry_run(system);
  const auto clock = setup::make_counting_clock();
  const setup::StepContext step_context{dry_run.system(), *clock, &dry_run.commands()};
  auto nics = setup::dry_run_tune(options.request, step_context, journal_entries(system, context));
  if (!nics) {
    return report_error(context,
                        nics.error(),
                        host::is_missing_capture(nics.error())
                            ? "A bundle that was written on the VM has them: see manactl-doctor(1)."
                            : "");
  }
  TuneOutput result{std::move(*nics), options.request.profile, true, dry_run.commands(), {}, {}};
  result.confirm_within = options.confirm;
  add_persistent_files(result);
  return print_result(result, context);
}

Exit run_live(const TuneOptions& options, const os::System& system, Context& context) {
  setup::SetupSession setup_session(system);
  const auto allowed = setup_session.check_privileges();
  if (!allowed) return report_error(context, allowed.error());
  setup::DeferredSignals signals;
  const auto& request = options.request;
  const auto session =
      setup_session.context("tune" + (request.nic.empty() ? std::string() : " " + request.nic),
                            [&signals] { return signals.take(); });
  const auto before_changes = [&](setup::Entry& entry, setup::Lock& lock) -> Result<> {
    if (!options.confirm) return {};
    const auto time = std::chrono::milliseconds(std::llround(*options.confirm * 1000));
    return setup::await_confirmation(entry, time, session, lock);
  };
  auto nics = setup::tune(request, session, before_changes);
  if (!nics) return report_error(context, nics.error());
  TuneOutput result{std::move(*nics), request.profile, false, {}, {}, {}};
  for (const auto& nic : result.nics) {
    const auto deadline = nic.result.entry.deadline;
    if (nic.result.outcome != setup::PrepareOutcome::done || !deadline) continue;
    result.confirm_within = std::chrono::duration<double>(*deadline - setup_session.now()).count();
  }
  for (const auto& nic : result.nics) {
    if (nic.result.persisted) continue;
    return report_error(context,
                        nic.result.persisted.error(),
                        fmt::format("'{}' is tuned until the next reboot.", printable(nic.name)));
  }
  add_persistent_files(result);
  return print_result(result, context);
}

Exit run_tune(TuneOptions options, Context& context) {
  auto& request = options.request;
  // Without --profile, --set changes only what it names.
  if (!request.profile && request.settings.empty()) request.profile = host::Profile::standard;
  if (options.nic) request.nic = options.nic->str();
  const auto system = context.system();
  if (!system) return report_error(context, system.error());
  if (options.dry_run) return run_dry(options, *system, context);
  if (!context.root.empty()) return report_usage_error(context, "tune: --root requires --dry-run");
  return run_live(options, *system, context);
}

}  // namespace

CommandAction add_tune(CLI::App& app) {
  auto options = std::make_shared<TuneOptions>();
  add_value(app,
            {"IFACE", type::kInterface, "tune this NIC (default: every MANA NIC of the kernel)"},
            store_in(options->nic, NicName::parse));
  add_value(app,
            {"--profile", type::kProfile, "set the values of this profile (default: Microsoft's)"},
            store_word_in(options->request.profile, host::kProfileWords));
  add_value(
      app,
      {"--set", type::kSetting, "set one value, such as vf-rx-ring=2048", true},
      [options](const std::string& text) { return add_tuned_setting(options->request, text); });
  add_flag(app, "--dry-run", options->dry_run, "show each change and why, but change nothing");
  add_flag(app, "--persist", options->request.persist, "set the values at every boot, too");
  add_value(app,
            {"--confirm-timeout", "TIME", "roll back after TIME without 'manactl confirm'"},
            store_in(options->confirm, parse_duration));
  add_value(app,
            {"--force-interface", "NAME", "allow interrupting what this interface carries"},
            store_in(options->request.force_interface,
                     [](std::string_view text) { return parse_text(text, "an interface"); }));
  return [options](Context& context) {
    context.is_dry_run = options->dry_run;
    return run_tune(*options, context);
  };
}

}  // namespace manactl::cli
