// SPDX-License-Identifier: MIT
//
// Prints the counters and contract violations of a program that ran on the software adapter.

#pragma once

#include <set>
#include <string>
#include <vector>

#include "adapter/fault_plan.h"
#include "adapter/launch/launch.h"
#include "cli/context.h"

namespace manactl::cli {

struct SimResult {
  const adapter::Outcome& outcome;
  std::vector<std::string> command;
  std::set<adapter::FaultKind> faults = {};  // the planned ones that are counted
};

void print_text(Screen& screen, const SimResult& result);
void print_json(Screen& screen, const SimResult& result, Exit exit);  // schemas/sim.schema.json

}  // namespace manactl::cli
