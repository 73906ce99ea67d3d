// SPDX-License-Identifier: MIT
//
// Runs a program on the adapter: preloads libmanactl-sim.so into it, provides the sysfs tree
// (sysfs_tree.h) while it runs, and returns the counters of the adapter.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapter/check/counters.h"
#include "adapter/config.h"
#include "adapter/launch/launch_files.h"

namespace manactl::adapter {

// The path of the installed library relative to the directory of the installed program.
extern const std::string_view kInstalledLibrary;  // NOLINT(readability-identifier-naming): constant

// Returns the path of the library in the installation or build tree of the program `self`, an
// absolute path without symbolic links. Fails if the library is missing or not trusted.
Result<std::string> find_library(const std::string& self,
                                 std::string_view installed = kInstalledLibrary);

// Counters in a memfd, which the program inherits. The program can change them, but not their size.
class SharedCounters {
 public:
  static Result<SharedCounters> make();
  ~SharedCounters();
  SharedCounters(SharedCounters&& other) noexcept;
  SharedCounters& operator=(SharedCounters&& other) noexcept;
  SharedCounters(const SharedCounters&) = delete;
  SharedCounters& operator=(const SharedCounters&) = delete;

  int fd() const { return fd_; }

  AdapterCounters& operator*() const { return *counters_; }

 private:
  SharedCounters() = default;

  int fd_ = -1;
  AdapterCounters* counters_ = nullptr;
};

struct LaunchOptions {
  std::string library;
  std::string settings;  // words for Config::parse(), except root and descriptors
  std::vector<std::string> command;
  bool stdout_to_stderr = false;
  LaunchPaths paths;
};

struct Outcome {
  int status = 0;  // the exit status; 128 + n if signal n killed the program
  int signal = 0;  // the signal that killed the program, or 0
  SharedCounters counters;
};

// Runs the program and waits for it; forwards signals to it. Fails if the settings are invalid or
// the command cannot be started. Forks, so the caller must be the only thread of this process.
Result<Outcome> launch(const LaunchOptions& options);

}  // namespace manactl::adapter
