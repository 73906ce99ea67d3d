// SPDX-License-Identifier: MIT
//
// From what was asked and what is there to steps, or to the reason why not. Changes nothing.

#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "host/facts.h"
#include "setup/journal.h"
#include "setup/step.h"

namespace manactl::setup {

enum class Method { automatic, driver_override, new_id };

struct HugepageRequest {
  std::uint64_t pages = 0;       // either these
  std::uint64_t bytes = 0;       // or as many as hold this
  std::uint64_t page_kib = 0;    // 0: the kernel's default size
  std::optional<unsigned> node;  // else that of the NIC
};

struct Request {
  std::optional<InterfaceName> interface;
  std::optional<HugepageRequest> hugepages;
  Method method = Method::automatic;
  bool vf_only = false;
  std::optional<unsigned> mtu;
  std::string force_interface;  // the name again, typed in full
};

struct Plan {
  bool prepared = false;  // already: nothing to do, `nic` tells what is there
  Entry entry;            // with the state before; what the journal opens with
  Steps steps;
  std::vector<std::string> notes;
};

// Errc tells the kind of refusal: invalid (a VF name was given), not_found and unsupported (not
// possible here), denied (the guard), busy (an unfinished run has to be restored first).
Result<Plan> make_plan(const Request& request,
                       const host::Facts& facts,
                       const os::System& system,
                       const std::vector<Entry>& open);

// What the user of a NIC needs to know when its interface is gone.
Values identity_of(const host::Nic& nic);

// The boot that the state of the kernel belongs to.
Result<std::string> boot_id(const os::Files& files);

}  // namespace manactl::setup
