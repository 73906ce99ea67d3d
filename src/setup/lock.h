// SPDX-License-Identifier: MIT
//
// One writer on this machine. flock(2) ends with its process, so a lock is never stale; the file
// tells who holds it.

#pragma once

#include <memory>
#include <string>

#include "base/result.h"

namespace manactl::setup {

inline constexpr const char* kLockFile = "/run/lock/manactl.lock";

class Lock {
 public:
  virtual ~Lock() = default;  // releases it

  // For a child of fork(2): flock(2) is shared with it, and would outlive its parent.
  virtual void let_go_in_child() = 0;
};

// Errc::busy names the owner. `command` is written into the file for the others to read. The
// directory of `path`, which is absolute, is made when it is missing; links are refused.
Result<std::unique_ptr<Lock>> take_lock(const std::string& path, const std::string& command);

}  // namespace manactl::setup
