// SPDX-License-Identifier: MIT
//
// One call of manactl from words to an exit code. main gives it the real world, tests a small one.

#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/environment.h"
#include "cli/screen.h"

namespace manactl::cli {

struct Invocation {
  std::vector<std::string> arguments;  // without the program's name
  Environment environment;
  Screen& out;
  Screen& err;
};

Exit run(const Invocation& invocation);

}  // namespace manactl::cli
