// SPDX-License-Identifier: MIT
//
// What this VM says about a signature of a log: its checks confirm it, contradict it, or cannot.

#pragma once

#include <string>
#include <vector>

#include "diag/doctor.h"
#include "diag/runner.h"

namespace manactl::diag {

struct Verdict {
  Confirmation confirmation = Confirmation::not_possible;
  const Ran* by = nullptr;  // the check that decided; null when not possible
};

// The first check of the signature that fails (else warns) confirms it; when one passes and none
// fails, warns or could not tell, the VM contradicts it.
Verdict confirm(const Signature& signature, const Report& checks);

// Failed checks that no other failed check explains, in the order of the report.
std::vector<const Ran*> first_causes(const Report& checks);

}  // namespace manactl::diag
