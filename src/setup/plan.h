// SPDX-License-Identifier: MIT
//
// Turns a request and the facts of the machine into steps, or into the reason why it is refused.
// Changes nothing.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "host/facts.h"
#include "setup/journal.h"
#include "setup/plan_hugepages.h"
#include "setup/step.h"

namespace manactl::setup {

enum class Method { automatic, driver_override, new_id };

struct Request {
  std::optional<InterfaceName> interface;
  std::optional<HugepageRequest> hugepages;  // empty: none
  Method method = Method::automatic;
  bool vf_only = false;
  std::optional<unsigned> mtu;
  std::string force_interface;  // overrides the guard if it is the NIC's name
  std::string boot_program;     // the absolute path of manactl for --persist; empty without it
};

struct Plan {
  bool already_prepared = false;  // `steps` is empty; `entry` describes the prepared NIC
  Entry entry;                    // for the journal; contains the state before the changes
  Steps steps;
  std::vector<std::string> warnings;  // what programs lose; pages that no NIC uses
};

// Errc is the reason for the refusal: invalid (a VF name was given), not_found and unsupported (not
// possible here), denied (the guard), busy (an unfinished run has to be restored first).
Result<Plan> make_plan(const Request& request,
                       const host::Facts& facts,
                       const os::System& system,
                       const std::vector<Entry>& entries);

// ---- also for the plan of tune

// The id of the NIC's entry of prepare.
std::string entry_id_of(const host::Nic& nic);

// Returns the first entry for which `matches` returns true; null if there is none.
template <class Matches>
const Entry* find_entry(const std::vector<Entry>& entries, Matches matches) {
  const auto found = std::ranges::find_if(entries, matches);
  return found == entries.end() ? nullptr : &*found;
}

// The NIC's entry of prepare; null if it has none.
const Entry* prepared_entry(const host::Nic& nic, const std::vector<Entry>& entries);

// Adds the steps that set the MTU of both interfaces of the NIC.
void add_mtu_steps(Steps& steps, const host::Nic& nic, unsigned mtu);

Result<> refuse_unfinished(const std::vector<Entry>& entries, const std::string& boot);

// Errc::busy if the interface of another NIC in the journal had the name of this NIC: the journal
// and the files of --persist name a NIC by its interface.
Result<> refuse_taken_name(const host::Nic& nic, const std::vector<Entry>& entries);

// Errc::busy if a watchdog may still undo changes of tune.
Result<> refuse_unconfirmed_tuning(const host::Nic& nic, const std::vector<Entry>& entries);

// Adds the records of the steps, with the present state, to the entry.
Result<> record_state(Plan& plan, const os::System& system);

}  // namespace manactl::setup
