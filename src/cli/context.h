// SPDX-License-Identifier: MIT
//
// The context that every command runs in: output streams, global options and the inspected system.
// Commands do not use std::cout, the environment or the live system directly.

#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/exit.h"
#include "cli/screen.h"
#include "os/sandbox.h"
#include "os/system.h"

namespace manactl::cli {

struct Context {
  Screen& out;  // data
  Screen& err;  // all other output
  bool json = false;
  int verbosity = 0;
  std::string root;     // --root; empty for the live system
  std::string results;  // default directory of saved results; may be empty

  // Returns the live system, or the captured one of --root. The first call opens it; with --root,
  // it confines the process first.
  std::function<Result<os::System>()> system;

  // The files that the command uses after confine(), besides --root and open files.
  os::Sandbox sandbox = {};

  bool quiet = false;       // --quiet
  bool is_dry_run = false;  // --dry-run

  std::vector<std::string> arguments = {};  // of this invocation, without the program's name
  bool failed = false;                      // report_error() was called
};

// Prints "manactl: <text>" to err, unless --quiet is given.
void print_note(Context& context, std::string_view text);

// Confines the process to --root, Context::sandbox (os/sandbox.h) and the memory limit of
// base/budget.h. A command that parses files of other users calls it first.
void confine(const Context& context);

// As os::become_nobody().
Result<> become_nobody();

// Prints "manactl: <message>" to err, and `hint` on a line of its own. Returns exit_of(error).
Exit print_error(Context& context, const Error& error, std::string_view hint = {});

// As print_error(), for an error that ends the command: with --json, also prints the document of
// schemas/error.schema.json to `out`.
Exit report_error(Context& context, const Error& error, std::string_view hint = {});

// Like report_error() above, but returns `exit`, for example the status of a program it has run.
Exit report_error(Context& context, Exit exit, const Error& error, std::string_view hint = {});

// Reports an error with Errc::invalid in the same way.
Exit report_usage_error(Context& context, std::string message);

}  // namespace manactl::cli
