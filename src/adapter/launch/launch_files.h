// SPDX-License-Identifier: MIT
//
// Captures and TAP interfaces of a program on the adapter. The launcher opens them, so errors are
// reported before the program starts and the program needs no privileges.

#pragma once

#include <string>
#include <vector>

#include "adapter/config.h"

namespace manactl::adapter {

struct LaunchPaths {
  std::string read;   // backend pcap: the capture to play
  std::string write;  // capture to record; with several ports, port N writes FILE.N
};

class LaunchFiles {
 public:
  // Fails if the paths do not match the backend, or if a file or interface cannot be opened.
  static Result<LaunchFiles> open(const Config& config, const LaunchPaths& paths);
  ~LaunchFiles();

  LaunchFiles(LaunchFiles&& other) noexcept
      : fds_(std::move(other.fds_)), settings_(std::move(other.settings_)) {
    other.fds_.clear();
  }

  LaunchFiles(const LaunchFiles&) = delete;
  LaunchFiles& operator=(const LaunchFiles&) = delete;

  // The descriptors that the program must inherit.
  const std::vector<int>& fds() const { return fds_; }

  // The numbers of the descriptors as settings for Config::parse().
  const std::string& settings() const { return settings_; }

 private:
  LaunchFiles() = default;

  Result<> add(std::string_view key, Result<int> fd);

  std::vector<int> fds_;
  std::string settings_;
};

}  // namespace manactl::adapter
