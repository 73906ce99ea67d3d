// SPDX-License-Identifier: MIT
//
// The command to run first if a line has several possible causes.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "diag/evidence.h"
#include "diag/finding.h"

namespace manactl::diag {

// A possible cause of a line, and whether it is the cause.
struct PossibleCause {
  std::string cause, confirm;
  Confirmation confirmation = Confirmation::undecided;
  std::string confirmed_by;
  std::optional<Remedy> remedy = {};     // for this cause only
  std::vector<std::string> checks = {};  // those that can decide it on the VM
};

struct Decision {
  std::string command;
  std::size_t causes = 0;  // undecided causes that the command confirms or rules out
};

// Returns the command that decides most of the undecided causes. A text `confirm` that begins with
// a command, in backquotes, needs this command. Commands that search the output of the same program
// become one command. Returns nothing if no cause needs a command.
std::optional<Decision> best_decision(const std::vector<PossibleCause>& causes);

}  // namespace manactl::diag
