// SPDX-License-Identifier: MIT
//
// The lock that allows one writer on this machine. The kernel releases flock(2) when the owner
// ends, so a lock is never stale. The file names the process that holds it.

#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace manactl::setup {

inline constexpr const char* kLockFile = "/run/manactl/lock";

class Lock {
 public:
  virtual ~Lock() = default;  // releases the lock

  // Call it in a child after fork(2). It closes the inherited descriptor, so that the lock ends
  // with the parent.
  virtual void close_in_child() = 0;
};

// Does not wait: Errc::busy names the owner. Writes `command` into the file, so that other runs can
// report it. Creates the directory of `path` with mode 0700 if it is missing, and the file with
// mode 0600. Errc::denied if another user controls the path, or if the file is not a regular file.
Result<std::unique_ptr<Lock>> take_lock(const std::string& path, const std::string& command);

}  // namespace manactl::setup
