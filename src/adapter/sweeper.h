// SPDX-License-Identifier: MIT
//
// A process that takes a directory away when this one has ended, even by SIGKILL.

#pragma once

#include <sys/types.h>

#include <string>
#include <utility>

#include "base/result.h"

namespace manactl::adapter {

class Sweeper {
 public:
  // To be made while there is one thread only.
  static Result<Sweeper> start(const std::string& directory);
  ~Sweeper();  // the directory is gone then

  Sweeper(Sweeper&& other) noexcept
      : pid_(std::exchange(other.pid_, -1)), alive_(std::exchange(other.alive_, -1)) {}

  Sweeper& operator=(Sweeper&& other) noexcept {
    std::swap(pid_, other.pid_);
    std::swap(alive_, other.alive_);
    return *this;
  }

  Sweeper(const Sweeper&) = delete;
  Sweeper& operator=(const Sweeper&) = delete;

 private:
  Sweeper(pid_t pid, int alive) : pid_(pid), alive_(alive) {}

  pid_t pid_ = -1;
  int alive_ = -1;  // the end of a pipe that nobody but this process has
};

}  // namespace manactl::adapter
