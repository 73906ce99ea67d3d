// SPDX-License-Identifier: MIT
//
// Confines the process before it parses input that others wrote or serves a guest, so that an error
// gives an attacker little. It is a second line of defense: the code does not rely on it.

#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace manactl::os {

// Files and calls that a confined process may use.
struct Sandbox {
  std::vector<std::string> read;   // files, and directories with all files below them
  std::vector<std::string> write;  // directories in which it creates, replaces and removes files
  std::vector<std::string> sockets =
      {};                  // directories in which it creates and removes Unix sockets
  bool is_server = false;  // needs only the system calls of seccomp.h
};

// Restrictions that are active.
struct Confinement {
  bool no_new_privileges = false;
  unsigned landlock = 0;  // the version of the interface; 0: files are not restricted
  bool system_calls = false;
};

// Returns the version of the kernel's Landlock interface, or 0 if Landlock is not available.
unsigned landlock_version();

// Confines the calling thread and its children for the rest of their lives; call it before the
// first thread starts. The thread can no longer gain privileges. Of its capabilities, it keeps only
// CAP_DAC_READ_SEARCH if `read` names a file, and CAP_DAC_OVERRIDE if `write` names a directory, so
// that root can use files of other users. With Landlock it opens only the named files, the shared
// libraries of the distribution and its own files in /proc, starts no program, and uses neither TCP
// (version 4) nor signals to other processes (version 6).
//
// Skips what the kernel does not support. Later calls add restrictions; after a call with
// `is_server`, they have no effect.
Confinement enter_sandbox(const Sandbox& sandbox, unsigned version = landlock_version());

// Changes root to user and group 65534 ("nobody"), which have no capabilities, in all threads of
// this process; forbid_programs() applies too, if this program can use it. Open files remain
// usable, and locked memory remains locked, but no more can be locked. Clears PR_SET_PDEATHSIG.
// Fails if the user namespace lacks this user, if the user keeps capabilities
// (SECBIT_NO_SETUID_FIXUP), or if the kernel refuses the filter of system calls. The threads may
// then keep all or some of their privileges.
Result<> become_nobody();

}  // namespace manactl::os
