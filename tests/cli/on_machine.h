// SPDX-License-Identifier: MIT
//
// Runs manactl on a captured machine of tests/fixtures.

#pragma once

#include <string>
#include <vector>

#include "cli/run_manactl.h"
#include "support/fixtures.h"

namespace manactl::test {

inline Outcome manactl_on(const char* machine, std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--root", fixture(machine)});
  return manactl(arguments);
}

}  // namespace manactl::test
