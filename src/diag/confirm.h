// SPDX-License-Identifier: MIT
//
// What this VM says about a signature of a log: it confirms it, contradicts it, or cannot tell.

#pragma once

#include <string>
#include <vector>

#include "diag/doctor.h"
#include "diag/runner.h"
#include "diag/witness.h"

namespace manactl::diag {

// Of the two pointers the one that decided is set; none when nothing can be told.
struct Testimony {
  Confirmation confirmation = Confirmation::not_possible;
  const Ran* check = nullptr;
  const Witness* witness = nullptr;
};

// The first check of the signature that fails, else a witness, else the first check that warns
// confirms it. A log is of the past, and of a program whose user and arguments are not known here:
// checks that pass contradict only signatures that say so, and only when all of them pass.
Testimony confirm(const Signature& signature,
                  const Report& checks,
                  const std::vector<Witness>& witnesses);

// Failed checks that no other failed check explains, in the order of the report.
std::vector<const Ran*> first_causes(const Report& checks);

}  // namespace manactl::diag
