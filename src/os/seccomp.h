// SPDX-License-Identifier: MIT
//
// Limits the system calls of a process. Both functions need PR_SET_NO_NEW_PRIVS in the calling
// thread. They fail with Errc::unsupported if the architecture is unknown or if the program
// contains a sanitizer, which needs more calls, and with another error if the kernel refuses the
// filter.

#pragma once

#include "base/result.h"

namespace manactl::os {

// Allows only the calls of a server: it waits for descriptors, reads and writes them, maps memory,
// and creates Unix sockets. All other calls fail with EPERM: those that start programs, processes
// or threads, trace processes, change mounts, namespaces, modules or the clock, and many more.
// Signals reach only this process, sockets are Unix sockets, and no memory can become executable.
Result<> limit_system_calls();

// In all threads, calls that start programs or put characters into the input of a terminal,
// ptrace(2), pidfd_getfd(2), process_vm_readv(2) and process_vm_writev(2) fail with EPERM. No
// thread can gain privileges any more. The process can still signal other processes of its user,
// and change their memory through /proc/PID/mem.
Result<> forbid_programs();

}  // namespace manactl::os
