// SPDX-License-Identifier: MIT

#include "cli/setup/render_setup.h"

#include <algorithm>

#include "base/text.h"
#include "cli/command_hints.h"
#include "setup/addresses.h"
#include "setup/steps.h"

namespace manactl::cli {

void print_rollback(std::ostream& out,
                    const std::vector<setup::RevertResult>& undone,
                    bool is_verbose) {
  std::vector<std::string> commands;
  for (const auto& one : undone) {
    for (const auto& text : one.notes) out << "  note      " << printable(text) << '\n';
    if (one.result && !is_verbose) continue;
    out << (one.result            ? "  undone    "
            : one.device_vanished ? "  vanished  "
            : one.given_up        ? "  given up  "
                                  : "  FAILED    ")
        << printable(one.title);
    if (!one.result) out << ": " << printable(one.result.error().message);
    out << '\n';
    commands.insert(commands.end(), one.manual_commands.begin(), one.manual_commands.end());
  }
  if (commands.empty()) return;
  out << "Run these commands to undo the rest:\n";
  for (const auto& command : commands) out << "  " << printable(command) << '\n';
}

namespace {

// Prints the addresses and routes that the kernel removes together with an interface.
void print_removed(std::ostream& out, const setup::StepResult& step) {
  constexpr std::string_view kLabel = "              removed (restore adds it again): ";
  for (const auto& text : setup::list_of(step.before, "address")) {
    out << kLabel << "address " << printable(setup::address_arguments(text)) << '\n';
  }
  for (const auto& text : setup::list_of(step.before, "route")) {
    out << kLabel << "route " << printable(setup::route_text(text)) << '\n';
  }
}

// Returns what restore adds again, without the addresses and routes that the kernel itself adds:
// "10.0.1.4/24, 1 route (default)". Empty if there is nothing.
std::string removed_text(const std::vector<setup::StepResult>& steps) {
  constexpr std::size_t kShown = 3;
  const auto first_word = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  std::vector<std::string> addresses, routes;
  for (const auto& step : steps) {
    for (const auto& text : setup::list_of(step.before, "address")) {
      const auto address = setup::address_of(text, 0);
      if (!address || !setup::is_link_local(*address)) addresses.push_back(first_word(text));
    }
    for (const auto& text : setup::list_of(step.before, "route")) {
      routes.push_back(first_word(setup::route_text(text)));
    }
  }
  if (addresses.size() > kShown) addresses = {fmt::format("{} addresses", addresses.size())};
  if (routes.empty()) return join(addresses, ", ");
  std::ranges::stable_partition(routes, [](const auto& text) { return text == "default"; });
  auto text = counted(routes.size(), "route");
  const auto is_short = routes.size() <= kShown;
  if (!is_short) routes.resize(kShown);
  addresses.push_back(fmt::format("{} ({}{})", text, join(routes, ", "), is_short ? "" : ", ..."));
  return join(addresses, ", ");
}

void print_steps(std::ostream& out,
                 const std::vector<setup::StepResult>& steps,
                 std::string_view done,
                 int verbosity,
                 bool is_dry_run) {
  const bool is_brief = is_dry_run && verbosity == 0;
  for (const auto& step : steps) {
    const bool verifies = step.only_verifies();
    if (!step.changed && verbosity == 0) continue;
    out << fmt::format(
        "  {:10}{}", step.changed || verifies ? done : "unchanged", printable(step.title));
    // Before a verification, the step that it follows has already made its change.
    const auto before = verifies ? std::string() : printable(step.before_text());
    if (!before.empty() && !is_brief) out << "  (before: " << before << ')';
    if (verbosity > 0 && !is_dry_run) out << fmt::format("  {} ms", step.took.count());
    out << '\n';
    if (is_brief) continue;
    if (is_dry_run && !step.changed) print_removed(out, step);
    for (const auto& command : step.commands) out << "              " << printable(command) << '\n';
  }
}

void print_unchanged(std::ostream& out, int verbosity) {
  out << (verbosity == 0 ? "Nothing was changed; -v shows each write.\n"
                         : "Nothing was changed.\n");
}

std::string name_of(const setup::Entry& entry) {
  return printable(entry.interface.empty() ? entry.id : entry.interface);
}

// Returns "eth1 is prepared", or "The hugepages are reserved" for an entry without a NIC.
std::string outcome_text(const setup::Entry& entry,
                         std::string_view nic_predicate,
                         std::string_view hugepages_predicate) {
  if (entry.interface.empty()) return fmt::format("The hugepages {}", hugepages_predicate);
  return fmt::format("{} {}", printable(entry.interface), nic_predicate);
}

// A result without a NIC is about the files of --persist of all NICs.
std::string name_of(const setup::RestoreResult& restored) {
  if (!restored.interface.empty()) return printable(restored.interface);
  return restored.id.empty() ? "The boot configuration" : printable(restored.id);
}

void print_unknown(std::ostream& out, const setup::RestoreResult& restored) {
  if (restored.unknown.empty()) return;
  out << (restored.journaled ? "These earlier settings are unknown:\n"
                             : "It had no journal entry, so these earlier settings are unknown:\n");
  for (const auto& unknown : restored.unknown) out << "  " << printable(unknown) << '\n';
}

const char* restored_state(const setup::RestoreResult& restored) {
  if (restored.is_complete()) return " is restored";
  if (setup::all_reverted(restored.reverted)) {
    return " is restored, but some earlier settings are unknown";
  }
  const bool works = std::ranges::all_of(restored.reverted, [](const auto& one) {
    return one.succeeded() || one.kind == setup::StepKind::save_addresses ||
           one.kind == setup::StepKind::change_setting;
  });
  return works ? " is restored, except for settings, addresses or routes"
               : " is NOT fully restored";
}

const char* rollback_state(const setup::PrepareResult& prepared) {
  if (prepared.outcome != setup::PrepareOutcome::rolled_back) {
    return "The roll-back is incomplete:\n";
  }
  const bool has_vanished = std::any_of(prepared.reverted.begin(),
                                        prepared.reverted.end(),
                                        [](const auto& one) { return one.device_vanished; });
  return has_vanished ? "Everything else was rolled back.\n" : "Everything was rolled back.\n";
}

void print_next(std::ostream& out, const PrepareOutput& result) {
  if (!result.slots.empty()) {
    out << "Use it in DPDK with:\n  "
        << join(eal_arguments(result.slots, result.allow_channels), " ") << '\n';
  }
  const auto& entry = result.prepared.entry;
  const auto name = name_of(entry);
  const bool awaits = result.confirm_within.has_value() || !entry.confirmed;
  const auto writing = awaits              ? "'manactl confirm' will write: "
                       : result.is_dry_run ? "Would write: "
                                           : "Written: ";
  for (const auto& path : result.persistent) out << writing << printable(path) << '\n';
  if (result.confirm_within) {
    out << fmt::format("{} {} be rolled back {} {:.0f} s unless you run:\n  manactl confirm {}\n",
                       name.empty() ? "It" : name,
                       result.is_dry_run ? "would" : "will",
                       result.is_dry_run ? "after" : "in",
                       *result.confirm_within,
                       name);
  }
  out << "Undo it with:\n  manactl restore " << (name.empty() ? "IFACE" : name) << '\n';
}

}  // namespace

void print_failure(std::ostream& out, std::string_view what, const setup::PrepareResult& prepared) {
  out << outcome_text(prepared.entry, what, "could not be reserved") << ": "
      << printable(prepared.cause.message) << '\n'
      << rollback_state(prepared);
  if (prepared.outcome == setup::PrepareOutcome::rolled_back) return;
  print_rollback(out, prepared.reverted, false);
  out << "Fix the cause, then complete the roll-back with:\n  manactl restore "
      << name_of(prepared.entry) << '\n';
}

std::vector<std::string> warnings_of(const setup::PrepareResult& prepared) {
  std::vector<std::string> warnings;
  if (prepared.outcome != setup::PrepareOutcome::done) return warnings;
  warnings = prepared.warnings;
  for (const auto& step : prepared.entry.steps) {
    const auto reserved = setup::hugepages_of(step);
    if (!reserved || !reserved->wanted) continue;
    const auto granted = reserved->granted.value_or(0);
    if (granted >= *reserved->wanted) continue;
    warnings.push_back(fmt::format(
        "the program needs {} more hugepages in /{}, and {} could be reserved, because memory is "
        "short or fragmented; configure the program with fewer packet buffers, or use a larger VM",
        *reserved->wanted,
        reserved->pool,
        granted == 0 ? "none" : fmt::format("only {}", granted)));
  }
  return warnings;
}

void print_warnings(Context& context, const std::vector<std::string>& warnings) {
  if (context.quiet) return;
  for (const auto& warning : warnings) {
    write_message(context.err,
                  Color::none,
                  "Warning:",
                  printable(CommandHints(context).complete(warning), 1000));
  }
}

void print_text(Screen& screen, const PrepareOutput& result, int verbosity) {
  auto& out = screen.stream();
  const auto& prepared = result.prepared;
  const bool failed = prepared.outcome == setup::PrepareOutcome::rolled_back ||
                      prepared.outcome == setup::PrepareOutcome::roll_back_failed;
  if (failed) return print_failure(out, "could not be prepared", prepared);
  const auto& entry = prepared.entry;
  if (prepared.outcome == setup::PrepareOutcome::already_prepared) {
    out << name_of(entry) << " is already prepared\n";
  } else if (result.is_dry_run) {
    out << outcome_text(entry, "would be prepared", "would be reserved") << " with these steps:\n";
    print_steps(out, prepared.steps, "would", verbosity, true);
    const auto removed = verbosity == 0 ? removed_text(prepared.steps) : std::string();
    if (!removed.empty())
      out << "Removed (restore adds them again): " << printable(removed) << '\n';
    print_unchanged(out, verbosity);
  } else {
    print_steps(out, prepared.steps, "done", verbosity, false);
    out << outcome_text(entry, "is prepared", "are reserved") << '\n';
  }
  print_next(out, result);
}

void print_plan(Screen& screen, const std::vector<setup::RestoreResult>& planned, int verbosity) {
  auto& out = screen.stream();
  if (planned.empty()) out << "Nothing to restore\n";
  for (const auto& one : planned) {
    for (const auto& path : one.removed) out << "Would remove: " << printable(path) << '\n';
    if (one.has_only_files()) continue;
    const std::string name = name_of(one);
    if (one.earlier_boot) {
      out << name << ": already undone by the last reboot; its journal entry would be removed\n";
      continue;
    }
    out << name << " would be restored with these steps:\n";
    print_steps(out, one.planned, "would", verbosity, true);
    print_rollback(out, one.reverted, false);
    const auto added = verbosity == 0 ? removed_text(one.planned) : std::string();
    if (!added.empty()) out << "Added again: " << printable(added) << '\n';
    print_unknown(out, one);
  }
  if (!planned.empty()) print_unchanged(out, verbosity);
}

void print_text(Screen& screen, const std::vector<setup::RestoreResult>& restored, int verbosity) {
  auto& out = screen.stream();
  if (restored.empty()) out << "Nothing to restore\n";
  for (const auto& one : restored) {
    for (const auto& path : one.removed) out << "Removed: " << printable(path) << '\n';
    if (one.has_only_files()) continue;
    const std::string name = name_of(one);
    if (one.earlier_boot) {
      out << name << ": already undone by the last reboot\n";
      continue;
    }
    out << name << restored_state(one) << '\n';
    print_rollback(out, one.reverted, verbosity > 0);
    for (const auto& interface : one.renamed) {
      out << setup::text_of(interface) << '\n';
    }
    print_unknown(out, one);
  }
}

void print_text(Screen& screen, const std::optional<setup::ConfirmResult>& confirmed) {
  auto& out = screen.stream();
  if (!confirmed) {
    out << "Already confirmed\n";
    return;
  }
  out << printable(confirmed->name)
      << (confirmed->is_tuning ? " stays tuned\n" : " stays prepared\n");
  for (const auto& path : confirmed->persistent) out << "Written: " << printable(path) << '\n';
}

}  // namespace manactl::cli
