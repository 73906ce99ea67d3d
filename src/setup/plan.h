// SPDX-License-Identifier: MIT
//
// Turns a request and the facts of the machine into steps, or into the reason why it is refused.
// Changes nothing.

#pragma once

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

}  // namespace manactl::setup
