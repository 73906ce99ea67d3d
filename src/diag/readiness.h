// SPDX-License-Identifier: MIT
//
// Whether a VM is ready for MANA with the kernel's network stack, and with DPDK. For a VM without
// MANA, this is a forecast for the time after Azure has moved it to a host with MANA.

#pragma once

#include <optional>
#include <vector>

#include "diag/runner.h"

namespace manactl::diag {

struct Readiness {
  std::optional<bool> ready;  // empty if a check could not decide it, or did not run

  // The failed checks that no other one explains or, if none failed, the undecided ones. They
  // belong to the report.
  std::vector<const CheckOutcome*> reasons;
};

// Judges by the checks of the report that matter for `use`, which is kernel or dpdk. A forecast
// leaves out those that describe the present NICs. A machine that is not on Azure is not ready.
Readiness readiness_for(Use use, const host::Facts& facts, const Report& report);

}  // namespace manactl::diag
