// SPDX-License-Identifier: MIT
//
// What a program on the adapter needs open: opened before it starts, so that what is wrong is said
// in time, and by us, so that the program needs no privilege for it.

#pragma once

#include <string>
#include <vector>

#include "adapter/config.h"

namespace manactl::adapter {

struct LaunchPaths {
  std::string read;   // backend pcap: the capture that arrives
  std::string write;  // where the port writes what it sends; several ports: ".N" behind it
};

class LaunchFiles {
 public:
  // Refused: paths that do not go with the backend, files and interfaces that cannot be had.
  static Result<LaunchFiles> open(const Config& config, const LaunchPaths& paths);
  ~LaunchFiles();

  LaunchFiles(LaunchFiles&& other) noexcept
      : fds_(std::move(other.fds_)), words_(std::move(other.words_)) {
    other.fds_.clear();
  }

  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  // The program inherits them.
  const std::vector<int>& fds() const { return fds_; }

  // For Config::parse().
  const std::string& words() const { return words_; }

 private:
  LaunchFiles() = default;

  Result<> add(std::string_view key, Result<int> fd);

  std::vector<int> fds_;
  std::string words_;
};

}  // namespace manactl::adapter
