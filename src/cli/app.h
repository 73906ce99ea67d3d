// SPDX-License-Identifier: MIT
//
// Runs one invocation of manactl. main() passes the process environment; tests pass their own.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/environment.h"
#include "cli/screen.h"

namespace manactl::cli {

struct Invocation {
  std::vector<std::string> arguments;  // without the program name
  Environment environment;
  Screen& out;
  Screen& err;
};

Exit run(const Invocation& invocation);

}  // namespace manactl::cli
