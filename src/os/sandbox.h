// SPDX-License-Identifier: MIT
//
// Confines the process before it parses input that others wrote, so that an error in a parser gives
// an attacker little. It is a second line of defense: the parsers do not rely on it.

#pragma once

#include <string>
#include <vector>

namespace manactl::os {

// The files that a confined process needs.
struct Sandbox {
  std::vector<std::string> read;   // files, and directories with all files below them
  std::vector<std::string> write;  // directories in which it creates, replaces and removes files
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
// Does nothing that the kernel does not support, and reports no errors. A later call restricts
// further.
void enter_sandbox(const Sandbox& sandbox, unsigned version = landlock_version());

}  // namespace manactl::os
