// SPDX-License-Identifier: MIT
//
// What every command is given: where to write, how to look, which system to ask. Commands never
// touch std::cout, the environment or the live system by themselves.

#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/screen.h"
#include "os/system.h"

namespace manactl::cli {

// The table of man/manactl.1.scd; a test holds them together.
enum class Exit {
  ok = 0,
  findings = 1,
  usage = 2,
  unsupported = 3,
  denied = 4,
  busy = 5,
  rolled_back = 6,
  roll_back_failed = 7,
  internal = 70,
  hangup = 129,
  interrupted = 130,
  terminated = 143,
};

// The exit code that an error of a library becomes.
Exit exit_of(const Error& error);

struct Context {
  Screen& out;  // data
  Screen& err;  // everything else
  bool json = false;
  int verbosity = 0;
  std::string root;     // --root; empty is the live system
  std::string results;  // where results are kept unless --results names a place; may be empty

  // The system that --root names, or the live one; opened when first asked and kept.
  std::function<Result<os::System>()> system;
};

// Prints "manactl: <message>" and the next thing to try to err; returns exit_of(error).
Exit report_error(Context& context, const Error& error, std::string_view try_this = {});

}  // namespace manactl::cli
