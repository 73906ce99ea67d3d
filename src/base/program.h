// SPDX-License-Identifier: MIT
//
// Runs another program and returns its output.

#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "base/result.h"

namespace manactl {

struct ProgramResult {
  int status = 0;   // exit status; 128 + n if signal n killed the program
  std::string out;  // everything that it wrote to standard output
  std::string err;  // the end of what it wrote to standard error, at most 4 KiB
};

// Runs the program command[0], a path, with these arguments and the environment of this process,
// and waits for it. Its standard input is /dev/null, and no signal is blocked. It gets SIGTERM when
// `stop` is requested or the calling thread ends. Fails with Errc::invalid if the program cannot be
// executed, and with Errc::io if it writes more than `max_output` bytes.
Result<ProgramResult> run_program(const std::vector<std::string>& command,
                                  std::size_t max_output,
                                  const std::stop_token& stop = {});

}  // namespace manactl
