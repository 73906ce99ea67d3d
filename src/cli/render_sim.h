// SPDX-License-Identifier: MIT
//
// What the software adapter saw of a program: text for people, JSON for programs.

#pragma once

#include <string>
#include <vector>

#include "adapter/launch.h"
#include "cli/context.h"

namespace manactl::cli {

struct SimAnswer {
  const adapter::Outcome& outcome;
  std::vector<std::string> command;
  Exit exit = Exit::ok;
};

void text(Screen& screen, const SimAnswer& answer);
void json(Screen& screen, const SimAnswer& answer);  // schemas/sim.schema.json

}  // namespace manactl::cli
