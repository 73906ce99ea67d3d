// SPDX-License-Identifier: MIT
//
// A child process that removes a directory after its parent has ended, even by SIGKILL.

#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace manactl::adapter {

class CleanupProcess {
 public:
  // Forks, so the caller must be the only thread of this process.
  static Result<CleanupProcess> start(const std::string& directory);
  ~CleanupProcess();  // makes the child remove the directory now; waits for its exit

  CleanupProcess(CleanupProcess&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

  CleanupProcess& operator=(CleanupProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(pipe_, other.pipe_);
    return *this;
  }

  CleanupProcess(const CleanupProcess&) = delete;
  CleanupProcess& operator=(const CleanupProcess&) = delete;

 private:
  CleanupProcess(pid_t pid, int pipe) : pid_(pid), pipe_(pipe) {}

  pid_t pid_ = -1;
  int pipe_ = -1;  // the only write end of a pipe; closing it starts the removal
};

}  // namespace manactl::adapter
