// SPDX-License-Identifier: MIT
//
// Replaces execve(2) and syslog(3) in this test program (option --wrap of the linker), so that
// tests see what the watchdog executes and logs.

#pragma once

#include <string>

namespace manactl::test {

// The effect of execve(2).
enum class Exec {
  fail,      // returns ENOENT
  reply,     // writes the reply of systemd to stdout
  describe,  // writes the arguments to stdout, and the environment and signal mask to stderr
  flood,     // writes more than a caller accepts
};

inline Exec exec_action = Exec::fail;

// syslog(3) never returns, as if nobody read /dev/log.
inline bool log_blocks = false;

// The descriptor to which syslog(3) writes lines: "<priority> <message>".
inline int log_descriptor = -1;

}  // namespace manactl::test
