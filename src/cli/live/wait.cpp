// SPDX-License-Identifier: MIT

#include "cli/live/wait.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "base/text.h"
#include "cli/facts.h"
#include "cli/version.h"
#include "cli/watch.h"
#include "diag/evidence.h"
#include "diag/log_time.h"
#include "diag/runner.h"
#include "host/gather.h"
#include "host/nic_state.h"
#include "host/vf_use.h"
#include "setup/session.h"
#include "setup/status.h"

namespace manactl::cli {
namespace {

using Json = nlohmann::ordered_json;
using States = std::vector<WaitedNic>;
using host::VfUse;

// The NICs to wait for; fails with Errc::not_found if there is none.
Result<std::vector<const host::Nic*>> select_nics(const host::Facts& facts,
                                                  const std::optional<NicName>& name) {
  if (!facts.nics) return because(facts.nics.error(), "cannot list the NICs");
  std::vector<const host::Nic*> selected;
  if (name) {
    const auto nic = facts.azure_nic(name->str());
    if (!nic) return tl::unexpected<Error>(nic.error());
    return std::vector{*nic};
  }
  for (const auto& nic : *facts.nics) selected.push_back(&nic);
  if (selected.empty()) return fail(Errc::not_found, "there is no Azure NIC");
  return selected;
}

// The state of a NIC that may appear later.
Result<States> missing(const Error& error, const std::optional<NicName>& name) {
  if (error.code != Errc::not_found) return tl::unexpected<Error>(error);
  const bool has_advice = error.message.ends_with('?');  // "did you mean 'eth1'?"
  return States{
      {name ? name->str() : "", false, error.message, has_advice ? "" : "manactl status"}};
}

Result<States> read_vf_states(const std::optional<NicName>& name, const os::System& system) {
  const auto links = system.links.links();
  if (!links) return tl::unexpected<Error>(links.error());
  host::Facts facts;
  facts.nics = host::gather_nics(system, *links);
  for (const auto& link : *links) facts.interfaces.push_back(link.name);
  const auto nics = select_nics(facts, name);
  if (!nics) return missing(nics.error(), name);
  const bool is_idle = host::has_idle_function(host::gather_functions(system));
  States states;
  for (const auto* nic : *nics) {
    const auto use = host::vf_use_of(*nic, is_idle);
    // Without IFACE, the NICs of user space do not concern the kernel.
    if (!name && use == VfUse::user_space) continue;
    const auto* command = use == VfUse::user_space ? "restore" : "check";
    states.push_back({nic->name(),
                      use == VfUse::used,
                      host::phrase_of(use, nic->vf ? nic->vf->name : ""),
                      fmt::format("manactl {} {}", command, shell_word(nic->name()))});
  }
  if (states.empty()) states.push_back({"", false, "all NICs are in user space", "manactl status"});
  return states;
}

Result<States> read_check_states(const std::optional<NicName>& name, const os::System& system) {
  const auto facts = gather_facts(system);
  const auto nics = select_nics(facts, name);
  if (!nics) return missing(nics.error(), name);
  auto options = check_options_for(facts, 1);
  States states;
  for (const auto* nic : *nics) {
    options.interface = nic->name();
    const auto report = diag::run_checks(facts, options, {});
    if (!report) return tl::unexpected<Error>(report.error());
    WaitedNic state{nic->name(),
                    exit_of(facts, *report, false) == Exit::ok,
                    "check finds no failure",
                    "manactl check " + shell_word(nic->name())};
    if (!state.is_reached) {
      const auto causes = diag::first_causes(*report);
      state.state = causes.empty() ? "the VM has no MANA adapter"
                                   : fmt::format("check {} fails: {}",
                                                 causes.front()->check.id,
                                                 causes.front()->check.problem);
    }
    states.push_back(std::move(state));
  }
  return states;
}

WaitedNic state_of(const setup::NicStatus& nic) {
  using setup::JournalState;
  WaitedNic state;
  state.name = nic.name;
  const bool is_bound = nic.owner == setup::Owner::uio || (nic.facts && nic.facts->is_direct());
  state.is_reached = nic.journal == JournalState::prepared && is_bound;
  state.state = nic.journal == JournalState::none
                    ? "not prepared"
                    : std::string(word_of(setup::kJournalStateWords, nic.journal));
  state.advice =
      nic.commands.empty() ? "manactl prepare " + shell_word(nic.name) : nic.commands.front();
  return state;
}

Result<States> read_journal_states(const std::optional<NicName>& name, const os::System& system) {
  const setup::SetupSession session(system);
  const auto entries = session.entries();
  if (!entries) return tl::unexpected<Error>(entries.error());
  const auto facts = gather_facts(system);
  const auto status = setup::status_of(facts, *entries, system, session.now());
  States states;
  for (const auto* list : {&status.nics, &status.others}) {
    for (const auto& nic : *list) {
      // The journal also has reservations of hugepages without a NIC.
      const bool is_nic = nic.nic.channel || nic.nic.pci;
      const bool is_wanted =
          name ? nic.has_name(name->str()) : nic.journal != setup::JournalState::none;
      if (is_nic && is_wanted) states.push_back(state_of(nic));
    }
  }
  if (!states.empty()) return states;
  if (!name) return States{{"", false, "no NIC has a journal entry", "manactl status"}};
  const auto nics = select_nics(facts, name);
  return missing(nics ? Error{Errc::not_found, 0, "not prepared"} : nics.error(), name);
}

std::string text_of(const WaitedNic& nic) {
  const bool names_nic = nic.state.find("'" + nic.name + "'") != std::string::npos;
  return nic.name.empty() || names_nic
             ? printable(nic.state)
             : fmt::format("{}: {}", printable(nic.name), printable(nic.state));
}

bool all_reached(const States& states) {
  return std::ranges::all_of(states, &WaitedNic::is_reached);
}

void print_wait_json(Screen& screen,
                     const WaitOptions& options,
                     const States& states,
                     double seconds) {
  const bool is_reached = all_reached(states);
  Json json;
  json["schema"] = "manactl.wait/1";
  json["manactl"] = version();
  json["exit"] = static_cast<int>(findings_if(!is_reached));
  json["for"] = word_of(kWaitGoals, *options.goal);
  json["reached"] = is_reached;
  json["seconds"] = seconds;
  json["nics"] = Json::array();
  for (const auto& nic : states) {
    json["nics"].push_back({{"name", nic.name.empty() ? Json() : Json(safe(nic.name))},
                            {"reached", nic.is_reached},
                            {"state", safe(nic.state)}});
  }
  screen.stream() << json.dump(2) << '\n';
}

// Returns the states of the NICs that have not reached the goal.
std::string unreached_text(const States& states) {
  std::vector<std::string> shown;
  for (const auto& nic : states) {
    if (!nic.is_reached) shown.push_back(text_of(nic));
  }
  return join(shown, ", ");
}

std::string waiting_text(const WaitOptions& options, const States& states) {
  return fmt::format("waiting at most {} for the state '{}'; now: {}",
                     diag::duration_text(options.timeout),
                     word_of(kWaitGoals, *options.goal),
                     unreached_text(states));
}

Exit report_timeout(const WaitOptions& options, const States& states, Context& context) {
  std::string advice;
  for (const auto& nic : states) {
    if (!nic.is_reached && advice.empty()) advice = nic.advice;
  }
  print_error(context,
              {Errc::timeout,
               0,
               fmt::format("wait: timed out after {}: {}{}",
                           diag::duration_text(options.timeout),
                           unreached_text(states),
                           advice.empty() ? "" : fmt::format("; run '{}'", advice))});
  return Exit::findings;
}

Exit report_end(const WaitOptions& options,
                const States& states,
                double seconds,
                Context& context) {
  if (context.json) print_wait_json(context.out, options, states, seconds);
  if (!all_reached(states)) return report_timeout(options, states, context);
  for (const auto& nic : states) {
    if (!context.json) context.out.stream() << text_of(nic) << '\n';
  }
  return Exit::ok;
}

}  // namespace

Result<std::vector<WaitedNic>> read_states(WaitGoal goal,
                                           const std::optional<NicName>& name,
                                           const os::System& system) {
  switch (goal) {
    case WaitGoal::vf:
      return read_vf_states(name, system);
    case WaitGoal::ready:
      return read_check_states(name, system);
    case WaitGoal::prepared:
      break;
  }
  return read_journal_states(name, system);
}

Exit run_wait(const WaitOptions& options, const WaitClock& clock, Context& context) {
  // Reading the state of a VF takes less than a millisecond, gathering all facts takes longer.
  constexpr double kVfInterval = 0.2, kFactsInterval = 1;
  const double interval = options.goal == WaitGoal::vf ? kVfInterval : kFactsInterval;
  bool has_paused = false;
  while (true) {
    const auto system = context.system();
    if (!system) return report_error(context, system.error());
    const auto states = read_states(*options.goal, options.nic, *system);
    if (!states) return report_error(context, states.error());
    const double seconds = clock.seconds();
    if (all_reached(*states) || seconds >= options.timeout) {
      return report_end(options, *states, seconds, context);
    }
    if (!has_paused && context.err.is_terminal())
      print_note(context, waiting_text(options, *states));
    has_paused = true;
    const int signal = clock.pause(std::min(interval, options.timeout - seconds));
    if (signal != 0) return exit_of_signal(signal);
  }
}

}  // namespace manactl::cli
