// SPDX-License-Identifier: MIT
//
// Opens files of a captured tree. Symbolic links and ".." cannot lead out of the tree.

#pragma once

#include <string>

namespace manactl::os {

// Like openat(2), but resolves each component as if `root` were "/" and rejects magic links
// (/proc/PID/fd/3) with ELOOP. Returns a descriptor, or -1 with errno. `flags` must not contain
// O_CREAT. Uses openat2(2), or open_by_steps() if openat2(2) is not available (before Linux 5.6 and
// with some seccomp filters).
int open_in_root(int root, const std::string& path, int flags);

// As open_in_root(), but calls openat(2) for each component and resolves links itself.
int open_by_steps(int root, const std::string& path, int flags);

}  // namespace manactl::os
