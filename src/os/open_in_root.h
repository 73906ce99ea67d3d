// SPDX-License-Identifier: MIT
//
// Opens files of a captured tree. Whatever its links and ".." say, nothing outside of the tree is
// ever opened.

#pragma once

#include <string>

namespace manactl::os {

// As openat(2), but every step is taken as if `root` were "/", and magic links (/proc/PID/fd/3) are
// refused. A descriptor, or -1 and errno. Asks openat2(2), and where that is missing (before Linux
// 5.6, below some seccomp filters and emulators) open_by_steps(). `flags` create nothing.
int open_in_root(int root, const std::string& path, int flags);

// The same without openat2(2): one openat(2) for each component, links are read and followed here.
int open_by_steps(int root, const std::string& path, int flags);

}  // namespace manactl::os
