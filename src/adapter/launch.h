// SPDX-License-Identifier: MIT
//
// Runs a program on the adapter: the library is loaded into it alone, the device tree is there
// while it runs, and its counters outlive it.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "adapter/config.h"
#include "adapter/launch_files.h"
#include "adapter/ledger.h"

namespace manactl::adapter {

// The library that belongs to the program `self`: beside its installation, or in the build tree.
// Refused when somebody else could have written it.
Result<std::string> find_library(const std::string& self);

// Nobody but root or this user can change the file, or put another one in its place.
Result<> check_trusted(const std::string& path);

// Counters in memory that another process can map.
class SharedLedger {
 public:
  static Result<SharedLedger> make();
  ~SharedLedger();
  SharedLedger(SharedLedger&& other) noexcept;
  SharedLedger& operator=(SharedLedger&& other) noexcept;
  SharedLedger(const SharedLedger&) = delete;
  SharedLedger& operator=(const SharedLedger&) = delete;

  int fd() const { return fd_; }

  Ledger& operator*() const { return *ledger_; }

 private:
  SharedLedger() = default;

  int fd_ = -1;
  Ledger* ledger_ = nullptr;
};

struct Launch {
  std::string library;
  std::string words;  // for Config::parse(), without root and descriptors
  std::vector<std::string> command;
  bool stdout_to_stderr = false;
  LaunchPaths paths;
};

struct Outcome {
  int status = 0;  // the program's; 128 + n when signal n ended it
  int signal = 0;
  SharedLedger ledger;
};

// Waits for the program. What is sent to us meanwhile is passed on to it. Refused: settings that
// cannot be, a command that cannot be started.
Result<Outcome> launch(const Launch& launch);

}  // namespace manactl::adapter
